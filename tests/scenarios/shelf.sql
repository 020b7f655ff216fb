CREATE TABLE author(id TEXT PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE book(id TEXT PRIMARY KEY, author_id TEXT NOT NULL, branch_id TEXT NOT NULL,
  title TEXT NOT NULL, genre TEXT NOT NULL, year INTEGER NOT NULL, copies INTEGER NOT NULL,
  shelf_note TEXT, sequel_id TEXT);
CREATE TABLE tag(id TEXT PRIMARY KEY, book_id TEXT NOT NULL, word TEXT NOT NULL);
INSERT INTO author VALUES('a1','Mira Lund'),('a2','Tomas Reed');
INSERT INTO book VALUES
 ('b1','a1','north','Salt','Novel',2001,12,'back row',  'b2'),
 ('b2','a1','north','Silt','Novel',2005,3, NULL,        NULL),
 ('b3','a2','south','Loam','Novel',2005,9007199254740993,'by the door',NULL),
 ('b4','a2','south','Dust','Essay',1999,1, NULL,        NULL),
 ('b5','a1','south','Chalk','Novel',2010,4,NULL,        NULL);
INSERT INTO tag VALUES('t1','b1','sea'),('t2','b1','coast'),('t3','b5','stone'),
 ('t4','b4','a'),('t5','b4','b'),('t6','b4','c'),('t7','b4','d');
