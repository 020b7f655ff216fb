#!/usr/bin/env python3
"""make_feed.py FILE: the reference data set as a SQLite database: 100 organisations, 2,000 users, 20,000
posts, 200,000 comments, 60,000 tags. Seeded: every run makes the same rows."""
import random
import sqlite3
import sys

ORGS, USERS, POSTS, COMMENTS, TAGS = 100, 2_000, 20_000, 200_000, 60_000
WORDS = ("amber basil cedar dune ember fjord grove harbor iris juniper kelp lagoon meadow nectar "
         "orchid pebble quartz river sage tundra umber violet willow yarrow zephyr").split()
TAG_NAMES = "cache graph http lattice news ops perf query release schema sql testing".split()

SCHEMA = """
CREATE TABLE orgs(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE users(id INTEGER PRIMARY KEY, org_id INTEGER NOT NULL REFERENCES orgs(id),
  name TEXT NOT NULL, email TEXT NOT NULL);
CREATE TABLE posts(id INTEGER PRIMARY KEY, org_id INTEGER NOT NULL REFERENCES orgs(id),
  author_id INTEGER NOT NULL REFERENCES users(id), title TEXT NOT NULL, body TEXT NOT NULL,
  rank INTEGER NOT NULL, created_at TEXT NOT NULL);
CREATE TABLE comments(id INTEGER PRIMARY KEY, post_id INTEGER NOT NULL REFERENCES posts(id),
  author_id INTEGER NOT NULL REFERENCES users(id), body TEXT NOT NULL, created_at TEXT NOT NULL);
CREATE TABLE tags(id INTEGER PRIMARY KEY, post_id INTEGER NOT NULL REFERENCES posts(id),
  name TEXT NOT NULL);
"""
INDEXES = """
CREATE INDEX posts_feed ON posts(org_id, rank DESC, id DESC);
CREATE INDEX comments_recent ON comments(post_id, created_at DESC, id DESC);
CREATE INDEX tags_post ON tags(post_id);
ANALYZE;
"""


def main(path: str) -> None:
    pick = random.Random(7)

    def text(count: int) -> str:
        return " ".join(pick.choice(WORDS) for _ in range(count))

    def moment() -> str:
        return (f"2026-{pick.randint(1, 11):02d}-{pick.randint(1, 28):02d} "
                f"{pick.randint(0, 23):02d}:{pick.randint(0, 59):02d}:{pick.randint(0, 59):02d}")

    database = sqlite3.connect(path)
    database.executescript("PRAGMA journal_mode=WAL;" + SCHEMA)
    insert = database.executemany
    insert("INSERT INTO orgs VALUES(?,?)", ((i, f"Org {i}") for i in range(1, ORGS + 1)))
    insert("INSERT INTO users VALUES(?,?,?,?)",
           ((i, (i - 1) % ORGS + 1, f"User {i}", f"user{i}@example.test")
            for i in range(1, USERS + 1)))
    insert("INSERT INTO posts VALUES(?,?,?,?,?,?,?)",
           ((i, (i - 1) % ORGS + 1, pick.randint(1, USERS), text(6).title(), text(30),
             pick.randint(0, 100_000), moment()) for i in range(1, POSTS + 1)))
    insert("INSERT INTO comments VALUES(?,?,?,?,?)",
           ((i, pick.randint(1, POSTS), pick.randint(1, USERS), text(12), moment())
            for i in range(1, COMMENTS + 1)))
    insert("INSERT INTO tags VALUES(?,?,?)",
           ((i, pick.randint(1, POSTS), pick.choice(TAG_NAMES)) for i in range(1, TAGS + 1)))
    database.commit()
    database.executescript(INDEXES)
    database.close()


main(sys.argv[1])
