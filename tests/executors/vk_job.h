// A job of vk_run: one line of text, parsed. The grammar is at the head of gpu_run.mjs.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

using Bytes = std::vector<unsigned char>;

inline Bytes read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path);
  return Bytes(std::istreambuf_iterator<char>(in), {});
}

/// zero:BYTES | @FILE | h:HEX | f:1,2.5 | i:-1,2 | u:1,2
inline Bytes init_bytes(const std::string& text) {
  if (text.at(0) == '@') return read_file(text.substr(1));
  const auto colon = text.find(':');
  const std::string kind = text.substr(0, colon), rest = text.substr(colon + 1);
  if (kind == "zero") return Bytes(std::stoul(rest));
  Bytes out;
  if (kind == "h") {
    for (size_t i = 0; i + 1 < rest.size(); i += 2)
      out.push_back(static_cast<unsigned char>(std::stoul(rest.substr(i, 2), nullptr, 16)));
    return out;
  }
  std::string item;
  for (std::istringstream items(rest); std::getline(items, item, ',');) {
    unsigned char word[4];
    if (kind == "f") {
      const float value = std::stof(item);
      std::memcpy(word, &value, 4);
    } else {
      const uint32_t value = static_cast<uint32_t>(std::stoll(item));
      std::memcpy(word, &value, 4);
    }
    out.insert(out.end(), word, word + 4);
  }
  return out;
}

struct Resource {
  char kind = 's';  // s r u t m x i, as in the grammar
  uint32_t set = 0, binding = 0, width = 0, height = 0;
  bool linear = false;
  std::string format;  // of i
  Bytes data;
};

struct VertexAttribute {
  uint32_t location = 0, components = 4;
  Bytes data;
};

struct Job {
  std::string name;                  // the shader word, as given
  std::vector<std::string> shaders;  // one, or two for drawing
  std::vector<std::string> entries;  // as many as are run
  bool run = false, draw = false;
  uint32_t groups[3] = {1, 1, 1};
  uint32_t width = 0, height = 0, vertices = 0;
  std::vector<VertexAttribute> attributes;
  std::vector<Resource> resources;
  Bytes push;
  std::map<uint32_t, uint32_t> constants;
};

inline std::vector<std::string> split_commas(const std::string& text) {
  std::vector<std::string> out;
  std::string item;
  for (std::istringstream in(text); std::getline(in, item, ',');) out.push_back(item);
  return out;
}

inline Resource parse_resource(char kind, const std::string& value) {
  Resource out;
  out.kind = kind;
  const auto equals = value.find('=');
  std::sscanf(value.c_str(), "%u:%u", &out.set, &out.binding);
  std::string rest = value.substr(equals + 1);
  if (kind == 'm') {
    out.linear = rest == "linear";
    return out;
  }
  if (kind == 't' || kind == 'x' || kind == 'i') {
    std::sscanf(rest.c_str(), "%ux%u", &out.width, &out.height);
    rest = rest.substr(rest.find(':') + 1);
  }
  if (kind == 'x' || kind == 'i') {
    const auto colon = rest.find(':');
    out.format = rest.substr(0, colon);
    out.linear = out.format == "linear";
    rest = rest.substr(colon + 1);
  }
  out.data = init_bytes(rest);
  return out;
}

inline uint32_t constant_word(const std::string& text) {
  if (text == "true" || text == "false") return text == "true";
  if (text.back() == 'f' || text.find('.') != std::string::npos) {
    const float value = std::stof(text);
    uint32_t word;
    std::memcpy(&word, &value, 4);
    return word;
  }
  return static_cast<uint32_t>(std::stoll(text));
}

inline Job parse_job(const std::string& line) {
  std::istringstream in(line);
  Job job;
  std::string option, value;
  in >> job.name;
  job.shaders = split_commas(job.name);
  while (in >> option >> value) {
    const auto equals = value.find('=');
    if (option == "-e") {
      job.entries = split_commas(value);
    } else if (option == "-d") {
      job.run = true;
      std::sscanf(value.c_str(), "%u,%u,%u", &job.groups[0], &job.groups[1], &job.groups[2]);
    } else if (option == "-g") {
      job.draw = true;
      std::sscanf(value.c_str(), "%ux%u:%u", &job.width, &job.height, &job.vertices);
    } else if (option == "-v") {
      VertexAttribute attribute;
      std::sscanf(value.c_str(), "%u=%u:", &attribute.location, &attribute.components);
      attribute.data = init_bytes(value.substr(value.find(':') + 1));
      job.attributes.push_back(std::move(attribute));
    } else if (option == "-p") {
      job.push = init_bytes(value);
    } else if (option == "-c") {
      job.constants[static_cast<uint32_t>(std::stoul(value))] = constant_word(value.substr(equals + 1));
    } else {
      job.resources.push_back(parse_resource(option.at(1), value));
    }
  }
  return job;
}
