#include "model/views/framework.hpp"

#include "model/descriptions.hpp"

namespace cadre::model::framework {

std::vector<const Entity*> entities()
{
    return descriptions<Task, Agent, LLMConfig, State, Message, ToolCall, Tool, MCPServers, MCPServer, NamedMCPServer,
                        StdioConfig, HttpConfig, DesktopStdioServer, DesktopHttpServer, TraceLog, StepRecord,
                        ToolCallRecord, SubAgentSessionInfo, SubAgentSession, Checkpoint, HumanFeedback,
                        RetentionPolicy>();
}

}  // namespace cadre::model::framework
