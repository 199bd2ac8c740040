#include "schema/compile.hpp"

#include "base/error.hpp"
#include "schema/budget.hpp"
#include "schema/documents.hpp"
#include "schema/keyword_value.hpp"
#include "schema/uri.hpp"

#include <boost/json/value.hpp>
#include <fmt/core.h>

#include <unordered_map>

namespace cadre::schema {

namespace {

constexpr std::size_t kPatternMemory = 1 << 19;       // for one pattern, in bytes
constexpr std::size_t kLargePatternMemory = 1 << 23;  // for one that needs more

/// Makes a node for every schema that can be reached, one after the other: no recursion, however deep they are nested.
class Compiler {
public:
    Compiler(const json::value& schema, const Options& options)
        : options_(options), documents_(schema, options), pattern_memory_(options.pattern_memory)
    {}

    Program compile()
    {
        node_of(documents_.root());
        do {
            while (next_ < sites_.size()) compile_next();
        } while (reach_dynamic_anchors());
        program_.places = documents_.places();
        program_.max_depth = options_.max_depth;
        program_.max_steps = options_.max_steps;
        program_.max_findings = options_.max_findings;
        return std::move(program_);
    }

private:
    NodeId node_of(const Site& site)
    {
        const auto [at, is_new] = ids_.emplace(site.schema, static_cast<NodeId>(sites_.size()));
        if (is_new) {
            sites_.push_back(site);
            program_.nodes.push_back({.place = site.place, .resource = site.resource});
        }
        return at->second;
    }

    void compile_next()
    {
        site_ = sites_[next_];
        Node node{.place = site_.place, .resource = site_.resource};  // apart: program_.nodes grows meanwhile
        if (const bool* flag = site_.schema->if_bool()) node.never = !*flag;
        else if (const auto* object = site_.schema->if_object()) compile_keywords(node, *object);
        else documents_.fail(site_, "", "a schema must be an object, true or false");
        if (node.object) node.object->join_members();
        program_.nodes[next_++] = std::move(node);
    }

    void compile_keywords(Node& node, const json::object& schema)
    {
        const Dialect& dialect = documents_.resource(site_).dialect;
        const json::value* lone_ref = dialect.draft == Draft::draft_07 ? schema.if_contains("$ref") : nullptr;
        for (const auto& member : schema) {
            const Keyword* keyword = find_keyword(member.key());
            if (!keyword || !dialect.knows(*keyword) || (lone_ref && lone_ref != &member.value())) continue;
            keyword_ = keyword->name;
            compile_keyword(node, keyword->word, {documents_, site_, keyword_, member.value()});
        }
    }

    void compile_keyword(Node& node, Word word, const KeywordValue& value)
    {
        switch (word) {
        case Word::id:
        case Word::anchor:
        case Word::dynamic_anchor:
        case Word::recursive_anchor:
        case Word::defs:
        case Word::definitions: return;  // Documents has read them
        case Word::ref: applicators(node).ref = node_of(documents_.find(site_, keyword_, value.text())); return;
        case Word::dynamic_ref:
        case Word::recursive_ref: applicators(node).dynamic_refs.push_back(dynamic_ref(value.text())); return;
        case Word::all_of: applicators(node).all_of = schemas(value); return;
        case Word::any_of: applicators(node).any_of = schemas(value); return;
        case Word::one_of: applicators(node).one_of = schemas(value); return;
        case Word::not_: applicators(node).not_ = schema(value.value); return;
        case Word::if_: applicators(node).if_ = schema(value.value); return;
        case Word::then_: applicators(node).then_ = schema(value.value); return;
        case Word::else_: applicators(node).else_ = schema(value.value); return;

        case Word::properties:
            for (const auto& member : value.map())
                object(node).add_member(member.key()).schema = schema(member.value(), member.key());
            return;
        case Word::pattern_properties:
            for (const auto& member : value.map())
                object(node).patterns.emplace_back(pattern(member.key()), schema(member.value(), member.key()));
            return;
        case Word::additional_properties: object(node).additional = schema(value.value); return;
        case Word::property_names: object(node).names = schema(value.value); return;
        case Word::unevaluated_properties: object(node).unevaluated = schema(value.value); return;
        case Word::dependent_schemas:
        case Word::dependent_required:
        case Word::dependencies:
            for (const auto& member : value.map()) object(node).dependents.push_back(dependent(word, member));
            return;
        case Word::required:
            for (const std::string& name : value.names()) object(node).add_member(name).required = true;
            return;
        case Word::min_properties: object(node).size.min = value.count(); return;
        case Word::max_properties: object(node).size.max = value.count(); return;

        case Word::items:
            if (is_draft_07_list(value)) array(node).prefix = schemas(value);
            else array(node).items = schema(value.value);
            return;
        case Word::prefix_items: array(node).prefix = schemas(value); return;
        case Word::additional_items: {
            const json::value* items = site_.schema->get_object().if_contains("items");
            if (items && items->is_array()) array(node).items = schema(value.value);
            return;
        }
        case Word::contains: array(node).contains = schema(value.value); return;
        case Word::unevaluated_items: array(node).unevaluated = schema(value.value); return;
        case Word::min_items: array(node).size.min = value.count(); return;
        case Word::max_items: array(node).size.max = value.count(); return;
        case Word::unique_items: array(node).unique = value.flag(); return;
        case Word::min_contains: array(node).contained.min = value.count(); return;
        case Word::max_contains: array(node).contained.max = value.count(); return;

        case Word::type: node.types = value.types(); return;
        case Word::enum_: node.enumerated = std::make_unique<ValueSet>(value.list(), budget_); return;
        case Word::const_: node.constant = std::make_unique<json::value>(value.value); return;
        case Word::minimum: numbers(node).minimum = value.number(); return;
        case Word::maximum: numbers(node).maximum = value.number(); return;
        case Word::exclusive_minimum: numbers(node).exclusive_minimum = value.number(); return;
        case Word::exclusive_maximum: numbers(node).exclusive_maximum = value.number(); return;
        case Word::multiple_of: numbers(node).multiple_of = value.positive_number(); return;
        case Word::min_length: strings(node).length.min = value.count(); return;
        case Word::max_length: strings(node).length.max = value.count(); return;
        case Word::pattern: strings(node).pattern = pattern(value.text()); return;
        case Word::format:
            if (documents_.resource(site_).dialect.format_assertion) strings(node).format = find_format(value.text());
            return;
        }
    }

    template <class Rules>
    static Rules& made(std::unique_ptr<Rules>& rules)
    {
        if (!rules) rules = std::make_unique<Rules>();
        return *rules;
    }
    static Applicators& applicators(Node& node) { return made(node.applicators); }
    static ObjectRules& object(Node& node) { return made(node.object); }
    static ArrayRules& array(Node& node) { return made(node.array); }
    static NumberRules& numbers(Node& node) { return made(node.number); }
    static StringRules& strings(Node& node) { return made(node.string); }

    [[noreturn]] void fail(const std::string& text) const { documents_.fail(site_, keyword_, text); }

    /// The schema that is the keyword's value, or stands in it under `name`.
    NodeId schema(const json::value& value, std::optional<std::string_view> name = {})
    {
        std::string token;
        append_token(token, keyword_);
        if (name) append_token(token, *name);
        return node_of(documents_.child(site_, value, token));
    }
    std::vector<NodeId> schemas(const KeywordValue& value)
    {
        const json::array& values = value.list();
        if (values.empty() && keyword_.ends_with("Of")) fail("must list at least one schema");
        std::vector<NodeId> result;
        for (const json::value& element : values) result.push_back(schema(element, std::to_string(result.size())));
        return result;
    }
    bool is_draft_07_list(const KeywordValue& value) const
    {
        if (!value.value.is_array()) return false;
        if (documents_.resource(site_).dialect.draft == Draft::draft_2020_12)
            fail("must be one schema; since 2020-12, a list of schemas stands in prefixItems");
        return true;
    }

    DynamicRef dynamic_ref(std::string_view reference)
    {
        const Site target = documents_.find(site_, keyword_, reference);
        DynamicRef result{.target = node_of(target)};
        const std::string anchor = split_fragment(reference).second;
        const Resource& resource = documents_.resource(target);
        if (!resource.dynamic.contains(anchor) || resource.anchors.at(anchor) != target.schema) return result;
        result.anchor = id_of_name(anchor);
        return result;
    }

    std::uint32_t id_of_name(const std::string& name)
    {
        return dynamic_names_.emplace(name, static_cast<std::uint32_t>(dynamic_names_.size())).first->second;
    }

    /// Any resource may be on the way to a `$dynamicRef`, so where there is one, all that it might find is compiled.
    /// False: nothing new.
    bool reach_dynamic_anchors()
    {
        if (dynamic_names_.empty()) return false;
        for (; reached_ < documents_.resources().size(); ++reached_) {
            const Resource& resource = documents_.resources()[reached_];
            for (const std::string& name : resource.dynamic)
                program_.dynamic_anchors[{reached_, id_of_name(name)}] =
                    node_of(documents_.site_of(*resource.anchors.at(name)));
        }
        return next_ < sites_.size();
    }

    Dependent dependent(Word word, const json::key_value_pair& member)
    {
        Dependent result{.property = member.key(), .keyword = keyword_};
        const bool is_names =
            word == Word::dependent_required || (word == Word::dependencies && member.value().is_array());
        if (is_names) result.required = KeywordValue{documents_, site_, keyword_, member.value()}.names();
        else result.schema = schema(member.value(), member.key());
        return result;
    }

    const Pattern* pattern(std::string_view text)
    {
        const auto [at, is_new] = patterns_.emplace(text, nullptr);
        if (!is_new) return at->second;
        for (std::size_t memory : {kPatternMemory, kLargePatternMemory}) {
            if (memory > pattern_memory_) break;
            try {
                at->second = &program_.patterns.emplace_back(text, memory);
                pattern_memory_ -= memory;
                return at->second;
            } catch (const Error& error) {
                if (memory == kLargePatternMemory || kLargePatternMemory > pattern_memory_) fail(error.what());
            }
        }
        fail(fmt::format("all patterns together need more than {} bytes", options_.pattern_memory));
    }

    const Options& options_;
    Documents documents_;
    Program program_;
    std::size_t pattern_memory_;
    Budget budget_{kNoLimit, options_.max_depth};
    std::vector<Site> sites_;  // one for each node
    std::size_t next_ = 0;
    std::unordered_map<const json::value*, NodeId> ids_;
    std::map<std::string, const Pattern*, std::less<>> patterns_;
    std::map<std::string, std::uint32_t> dynamic_names_;
    ResourceId reached_ = 0;  // by reach_dynamic_anchors()

    Site site_;                 // what is being compiled
    std::string_view keyword_;  // and which of its keywords
};

}  // namespace

Program compile_program(const json::value& schema, const Options& options)
{
    return Compiler(schema, options).compile();
}

}  // namespace cadre::schema
