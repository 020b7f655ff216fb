#!/usr/bin/env python3
"""make_data.py FILE: the blog's database for SQLite. Seeded: every run makes the same rows. An existing
FILE is replaced."""
import pathlib
import random
import sqlite3
import sys
import uuid
from datetime import datetime, timedelta

ORGS, USERS, POSTS, COMMENTS, BOOKMARKS = 4, 24, 400, 2_400, 160
FIRST_DAY = datetime(2026, 1, 1)

ADJECTIVES = "amber brisk calm dusty early faint green hazy idle jolly keen lunar mild north odd pale".split()
ANIMALS = "adder bison crane dingo egret finch gecko heron ibis jay kite lynx moth newt otter puma".split()
TOPICS = ("caching pagination schemas queues indexes tokens snapshots migrations retries deadlines "
          "cursors proofs budgets fragments").split()
VERBS = "understanding measuring replacing simplifying avoiding testing naming growing".split()
TAGS = "cache graph http news ops perf query release schema sql".split()
SENTENCES = ("It is simpler than it sounds.", "The numbers surprised us.", "We kept the old way beside it.",
             "Nothing was lost in the move.", "The index does most of the work.", "Read the plan first.",
             "A cache is a promise about keys.", "Small pages, few rounds.", "We would do it again.")

SCHEMA = """
PRAGMA journal_mode = wal;
CREATE TABLE orgs (
  id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL
);
CREATE TABLE users (
  id TEXT NOT NULL PRIMARY KEY,
  org_id TEXT NOT NULL REFERENCES orgs (id),
  name TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('Member', 'Editor', 'Admin')),
  email TEXT NOT NULL,
  avatar TEXT NOT NULL
);
CREATE TABLE posts (
  id TEXT NOT NULL PRIMARY KEY,
  org_id TEXT NOT NULL REFERENCES orgs (id),
  author_id TEXT NOT NULL REFERENCES users (id),
  title TEXT NOT NULL,
  body TEXT NOT NULL,
  rank REAL NOT NULL,
  created_at TIMESTAMP NOT NULL,
  published_at TIMESTAMP NOT NULL,
  draft_notes TEXT,
  click_rate REAL NOT NULL
);
CREATE TABLE comments (
  id TEXT NOT NULL PRIMARY KEY,
  post_id TEXT NOT NULL REFERENCES posts (id),
  author_id TEXT NOT NULL REFERENCES users (id),
  body TEXT NOT NULL,
  created_at TIMESTAMP NOT NULL
);
CREATE TABLE tags (
  id TEXT NOT NULL PRIMARY KEY,
  post_id TEXT NOT NULL REFERENCES posts (id),
  name TEXT NOT NULL,
  UNIQUE (post_id, name)
);
CREATE TABLE bookmarks (
  user_id TEXT NOT NULL REFERENCES users (id),
  post_id TEXT NOT NULL REFERENCES posts (id),
  created_at TIMESTAMP NOT NULL,
  PRIMARY KEY (user_id, post_id)
);
-- One index a keyset: the field that a collection is by, its order, the key.
CREATE INDEX posts_feed ON posts (org_id, rank, id);
CREATE INDEX posts_by_author ON posts (author_id, published_at, id);
CREATE INDEX posts_latest ON posts (published_at, id);
CREATE INDEX comments_by_post ON comments (post_id, created_at, id);
CREATE INDEX bookmarks_by_user ON bookmarks (user_id, created_at, post_id);
"""


class Blog:
    def __init__(self, pick: random.Random) -> None:
        self.pick = pick
        self.orgs = [self.identifier() for _ in range(ORGS)]
        self.users = [(self.identifier(), self.orgs[i % ORGS]) for i in range(USERS)]
        self.posts: list[tuple[str, datetime]] = []

    def identifier(self) -> str:
        return str(uuid.UUID(int=self.pick.getrandbits(128), version=4))

    def moment(self, after: datetime = FIRST_DAY) -> datetime:
        return after + timedelta(seconds=self.pick.randrange(1, 200 * 86_400))

    def sentences(self, least: int, most: int) -> str:
        return " ".join(self.pick.choice(SENTENCES) for _ in range(self.pick.randint(least, most)))

    def org_rows(self):
        for number, org in enumerate(self.orgs, 1):
            yield org, f"Workshop {number}"

    def user_rows(self):
        names = [f"{a}-{b}" for a in ADJECTIVES for b in ANIMALS]
        for number, ((user, org), name) in enumerate(zip(self.users, self.pick.sample(names, USERS))):
            role = "Admin" if number < ORGS else "Editor" if number < 3 * ORGS else "Member"
            yield user, org, name, role, f"{name}@blog.example", name

    def post_rows(self):
        for _ in range(POSTS):
            post = self.identifier()
            author, org = self.pick.choice(self.users)
            created = self.moment()
            published = created + timedelta(hours=self.pick.randrange(1, 72))
            self.posts.append((post, published))
            title = f"{self.pick.choice(VERBS).capitalize()} {self.pick.choice(TOPICS)}"
            notes = self.sentences(1, 2) if self.pick.random() < 0.3 else None
            # Ranks repeat, as scores do.
            yield (post, org, author, title, self.sentences(3, 9), self.pick.randrange(0, 400) / 4,
                   str(created), str(published), notes, self.pick.randrange(0, 1000) / 1000)

    def comment_rows(self):
        for _ in range(COMMENTS):
            post, published = self.pick.choice(self.posts)
            author, _ = self.pick.choice(self.users)
            yield self.identifier(), post, author, self.sentences(1, 3), str(self.moment(published))

    def tag_rows(self):
        for post, _ in self.posts:
            for name in sorted(self.pick.sample(TAGS, self.pick.randint(0, 4))):
                yield self.identifier(), post, name

    def bookmark_rows(self):
        kept = set()
        while len(kept) < BOOKMARKS:
            (user, _), (post, published) = self.pick.choice(self.users), self.pick.choice(self.posts)
            if (user, post) in kept:
                continue
            kept.add((user, post))
            yield user, post, str(self.moment(published))


def fill(database: sqlite3.Connection, table: str, rows) -> int:
    rows = list(rows)
    places = ", ".join("?" * len(rows[0]))
    database.executemany(f"INSERT INTO {table} VALUES ({places})", rows)
    return len(rows)


def main(path: str) -> None:
    for suffix in ("", "-wal", "-shm", "-journal"):
        pathlib.Path(path + suffix).unlink(missing_ok=True)
    blog = Blog(random.Random(20261201))
    database = sqlite3.connect(path)
    database.executescript(SCHEMA)
    counts = {
        "orgs": fill(database, "orgs", blog.org_rows()),
        "users": fill(database, "users", blog.user_rows()),
        "posts": fill(database, "posts", blog.post_rows()),
        "comments": fill(database, "comments", blog.comment_rows()),
        "tags": fill(database, "tags", blog.tag_rows()),
        "bookmarks": fill(database, "bookmarks", blog.bookmark_rows()),
    }
    database.commit()
    database.execute("ANALYZE")
    user, org = blog.users[0]
    name = database.execute("SELECT name FROM users WHERE id = ?", (user,)).fetchone()[0]
    database.close()
    print(f"{path}: " + ", ".join(f"{count} {table}" for table, count in counts.items()))
    print(f"{name}, an Admin: user {user} of organisation {org}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
