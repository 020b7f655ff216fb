#include "bench/floor.h"

#include <sqlite3.h>

#include <charconv>
#include <stdexcept>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace lattice::bench {

namespace {

void number(std::string& out, long value) {
  char buffer[24];
  auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
  out.append(buffer, end);
}

void text(std::string& out, std::string_view value) {
  out += '"';
  size_t clean = 0;
  for (size_t i = 0; i < value.size(); ++i) {
    auto c = static_cast<unsigned char>(value[i]);
    if (c >= 0x20 && c != '"' && c != '\\') continue;
    out.append(value.data() + clean, i - clean);
    clean = i + 1;
    if (c == '"' || c == '\\') {
      out += '\\';
      out += value[i];
    } else {
      constexpr char kHex[] = "0123456789abcdef";
      out += "\\u00";
      out += kHex[c >> 4];
      out += kHex[c & 15];
    }
  }
  out.append(value.data() + clean, value.size() - clean);
  out += '"';
}

struct Post {
  int id, rank, author;
  std::string title, body;
};
struct Comment {
  int post, author;
  std::string body, created_at;
};

}  // namespace

struct Floor::Impl {
  sqlite3* database = nullptr;
  sqlite3_stmt* posts = nullptr;
  sqlite3_stmt* comments = nullptr;
  sqlite3_stmt* tags = nullptr;
  sqlite3_stmt* user = nullptr;

  sqlite3_stmt* prepare(const char* sql) const {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v3(database, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr)) {
      throw std::runtime_error(sqlite3_errmsg(database));
    }
    return statement;
  }

  static std::string_view column(sqlite3_stmt* row, int index) {
    return {reinterpret_cast<const char*>(sqlite3_column_text(row, index)),
            static_cast<size_t>(sqlite3_column_bytes(row, index))};
  }

  template <class Take>
  static void each(sqlite3_stmt* statement, int key, Take take) {
    sqlite3_bind_int(statement, 1, key);
    while (sqlite3_step(statement) == SQLITE_ROW) take(statement);
    sqlite3_reset(statement);
  }
};

Floor::Floor(const std::string& path) : impl_(new Impl) {
  if (sqlite3_open_v2(path.c_str(), &impl_->database,
                      SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nullptr)) {
    throw std::runtime_error("cannot open " + path);
  }
  sqlite3_exec(impl_->database, "PRAGMA mmap_size=268435456; PRAGMA cache_size=-65536", nullptr,
               nullptr, nullptr);
  impl_->posts = impl_->prepare(
      "SELECT id,author_id,title,body,rank FROM posts WHERE org_id=?1 ORDER BY rank DESC,id DESC "
      "LIMIT 20");
  impl_->comments = impl_->prepare(
      "SELECT post_id,author_id,body,created_at FROM comments WHERE post_id=?1 ORDER BY "
      "created_at DESC,id DESC LIMIT 3");
  impl_->tags = impl_->prepare("SELECT post_id,name FROM tags WHERE post_id=?1 ORDER BY id");
  impl_->user = impl_->prepare("SELECT id,name,email FROM users WHERE id=?1");
}

Floor::~Floor() {
  for (sqlite3_stmt* statement : {impl_->posts, impl_->comments, impl_->tags, impl_->user}) {
    sqlite3_finalize(statement);
  }
  sqlite3_close(impl_->database);
}

void Floor::page(int org, std::string& out) {
  std::vector<Post> posts;
  std::vector<Comment> comments;
  std::vector<std::pair<int, std::string>> tags;
  std::unordered_map<int, std::pair<std::string, std::string>> users;
  auto column = &Impl::column;
  sqlite3_exec(impl_->database, "BEGIN", nullptr, nullptr, nullptr);
  Impl::each(impl_->posts, org, [&](sqlite3_stmt* row) {
    posts.push_back({sqlite3_column_int(row, 0), sqlite3_column_int(row, 4),
                     sqlite3_column_int(row, 1), std::string(column(row, 2)),
                     std::string(column(row, 3))});
  });
  for (const Post& post : posts) {
    Impl::each(impl_->comments, post.id, [&](sqlite3_stmt* row) {
      comments.push_back({sqlite3_column_int(row, 0), sqlite3_column_int(row, 1),
                          std::string(column(row, 2)), std::string(column(row, 3))});
    });
    Impl::each(impl_->tags, post.id, [&](sqlite3_stmt* row) {
      tags.emplace_back(sqlite3_column_int(row, 0), std::string(column(row, 1)));
    });
  }
  auto need = [&](int id) {
    if (users.contains(id)) return;
    Impl::each(impl_->user, id, [&](sqlite3_stmt* row) {
      users[id] = {std::string(column(row, 1)), std::string(column(row, 2))};
    });
  };
  for (const Post& post : posts) need(post.author);
  for (const Comment& comment : comments) need(comment.author);
  sqlite3_exec(impl_->database, "COMMIT", nullptr, nullptr, nullptr);

  out += '[';
  for (const Post& post : posts) {
    if (out.back() != '[') out += ',';
    out += "{\"title\":";
    text(out, post.title);
    out += ",\"body\":";
    text(out, post.body);
    out += ",\"rank\":";
    number(out, post.rank);
    out += ",\"author\":{\"name\":";
    text(out, users[post.author].first);
    out += ",\"email\":";
    text(out, users[post.author].second);
    out += "},\"comments\":[";
    for (const Comment& comment : comments) {
      if (comment.post != post.id) continue;
      if (out.back() != '[') out += ',';
      out += "{\"body\":";
      text(out, comment.body);
      out += ",\"createdAt\":";
      text(out, comment.created_at);
      out += ",\"author\":{\"name\":";
      text(out, users[comment.author].first);
      out += "}}";
    }
    out += "],\"tags\":[";
    for (const auto& [owner, name] : tags) {
      if (owner != post.id) continue;
      if (out.back() != '[') out += ',';
      out += "{\"name\":";
      text(out, name);
      out += '}';
    }
    out += "]}";
  }
  out += ']';
}

}  // namespace lattice::bench
