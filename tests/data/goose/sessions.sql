-- Written by Goose 1.34.0: a session with two sub-agents, which edit, and a commit of its own.
-- Made from its database: folders renamed, what is long and not read left out.
CREATE TABLE schema_version (
    version INTEGER PRIMARY KEY,
    applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP
    );
CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL DEFAULT '',
    description TEXT NOT NULL DEFAULT '',
    user_set_name BOOLEAN DEFAULT FALSE,
    session_type TEXT NOT NULL DEFAULT 'user',
    working_dir TEXT NOT NULL,
    created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
    updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
    extension_data TEXT DEFAULT '{}',
    total_tokens INTEGER,
    input_tokens INTEGER,
    output_tokens INTEGER,
    accumulated_total_tokens INTEGER,
    accumulated_input_tokens INTEGER,
    accumulated_output_tokens INTEGER,
    accumulated_cost REAL,
    schedule_id TEXT,
    recipe_json TEXT,
    user_recipe_values_json TEXT,
    provider_name TEXT,
    model_config_json TEXT,
    goose_mode TEXT NOT NULL DEFAULT 'auto',
    archived_at TIMESTAMP,
    project_id TEXT
    );
CREATE TABLE messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    message_id TEXT,
    session_id TEXT NOT NULL REFERENCES sessions(id),
    role TEXT NOT NULL,
    content_json TEXT NOT NULL,
    created_timestamp INTEGER NOT NULL,
    timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
    tokens INTEGER,
    metadata_json TEXT
    );
INSERT INTO sessions (id, name, description, user_set_name, session_type, working_dir, created_at, updated_at, extension_data, provider_name, model_config_json, goose_mode) VALUES
    ('20261130_1', 'Greet', '', 0, 'user', '/w/app', '2026-11-30 20:29:46', '2026-11-30 20:29:48', '{}', 'openai', '{"model_name":"gpt-4o","context_limit":128000,"temperature":null,"max_tokens":16384,"toolshim":false,"toolshim_model":null,"reasoning":false}', 'auto');
INSERT INTO sessions (id, name, description, user_set_name, session_type, working_dir, created_at, updated_at, extension_data, provider_name, model_config_json, goose_mode) VALUES
    ('20261130_2', 'Delegated task', '', 0, 'sub_agent', '/w/app', '2026-11-30 20:29:48', '2026-11-30 20:29:48', '{}', 'openai', '{"model_name":"gpt-4o","context_limit":128000,"temperature":null,"max_tokens":16384,"toolshim":false,"toolshim_model":null,"reasoning":false}', 'auto');
INSERT INTO sessions (id, name, description, user_set_name, session_type, working_dir, created_at, updated_at, extension_data, provider_name, model_config_json, goose_mode) VALUES
    ('20261130_3', 'Greet', '', 0, 'sub_agent', '/w/app', '2026-11-30 20:29:48', '2026-11-30 20:29:48', '{}', 'openai', '{"model_name":"gpt-4o","context_limit":128000,"temperature":null,"max_tokens":16384,"toolshim":false,"toolshim_model":null,"reasoning":false}', 'auto');
INSERT INTO messages (id, message_id, session_id, role, content_json, created_timestamp, timestamp, metadata_json) VALUES
    (1, 'msg_20261130_1_071534c5-6354-4935-ae69-fcc8e29eeb39', '20261130_1', 'user', '[{"type":"text","text":"Make greet return hello and commit."}]', 1796070586, '2026-11-30 20:29:46', '{"userVisible":true,"agentVisible":true}');
INSERT INTO messages (id, message_id, session_id, role, content_json, created_timestamp, timestamp, metadata_json) VALUES
    (2, 'msg_20261130_2_2bab89cf-b5ad-47b4-b2a5-372b2fb7a0e2', '20261130_2', 'user', '[{"type":"text","text":"SUBTASK: change greet"}]', 1796070588, '2026-11-30 20:29:48', '{"userVisible":true,"agentVisible":true}');
INSERT INTO messages (id, message_id, session_id, role, content_json, created_timestamp, timestamp, metadata_json) VALUES
    (3, 'chatcmpl-3', '20261130_2', 'assistant', '[{"type":"text","text":"A whole word reads better aloud, so greet will return hello."}]', 1796070588, '2026-11-30 20:29:48', '{"userVisible":true,"agentVisible":true}');
INSERT INTO messages (id, message_id, session_id, role, content_json, created_timestamp, timestamp, metadata_json) VALUES
    (4, 'msg_2aa3369a-4802-4370-bacb-def3ece7b57f', '20261130_2', 'assistant', '[{"type":"toolRequest","id":"call_3_0","toolCall":{"status":"success","value":{"name":"edit","arguments":{"path":"app.py","before":"    return \"hi\"","after":"    return \"hello\""}}},"_meta":{"goose_extension":"developer"}}]', 1796070588, '2026-11-30 20:29:48', '{"userVisible":true,"agentVisible":true}');
INSERT INTO messages (id, message_id, session_id, role, content_json, created_timestamp, timestamp, metadata_json) VALUES
    (5, 'msg_ed7484aa-777a-41cd-ba20-12f87ddd7736', '20261130_2', 'user', '[{"type":"toolResponse","id":"call_3_0","toolResult":{"status":"success","value":{"content":[{"type":"text","text":"Edited app.py (1 lines -> 1 lines)","annotations":{"priority":0.0}}],"isError":false}}}]', 1796070588, '2026-11-30 20:29:48', '{"userVisible":true,"agentVisible":true}');
INSERT INTO messages (id, message_id, session_id, role, content_json, created_timestamp, timestamp, metadata_json) VALUES
    (6, 'chatcmpl-4', '20261130_2', 'assistant', '[{"type":"text","text":"sub done"}]', 1796070588, '2026-11-30 20:29:48', '{"userVisible":true,"agentVisible":true}');
INSERT INTO messages (id, message_id, session_id, role, content_json, created_timestamp, timestamp, metadata_json) VALUES
    (7, 'chatcmpl-2', '20261130_1', 'assistant', '[{"type":"text","text":"Let me delegate."}]', 1796070588, '2026-11-30 20:29:48', '{"userVisible":true,"agentVisible":true}');
INSERT INTO messages (id, message_id, session_id, role, content_json, created_timestamp, timestamp, metadata_json) VALUES
    (8, 'msg_26717076-a6bf-49f6-9864-07a07df4dbdc', '20261130_1', 'assistant', '[{"type":"toolRequest","id":"call_2_0","toolCall":{"status":"success","value":{"name":"delegate","arguments":{"instructions":"SUBTASK: change greet"}}},"_meta":{"goose_extension":"summon"}}]', 1796070588, '2026-11-30 20:29:48', '{"userVisible":true,"agentVisible":true}');
INSERT INTO messages (id, message_id, session_id, role, content_json, created_timestamp, timestamp, metadata_json) VALUES
    (9, 'msg_ece21a10-6bd7-4fe9-ae49-6ba2acc6a3c7', '20261130_1', 'user', '[{"type":"toolResponse","id":"call_2_0","toolResult":{"status":"success","value":{"content":[{"type":"text","text":"sub done"}],"isError":false,"_meta":{"subagent_session_id":"20261130_2"}}}}]', 1796070588, '2026-11-30 20:29:48', '{"userVisible":true,"agentVisible":true}');
INSERT INTO messages (id, message_id, session_id, role, content_json, created_timestamp, timestamp, metadata_json) VALUES
    (10, 'chatcmpl-5', '20261130_1', 'assistant', '[{"type":"text","text":"Again, in the background."}]', 1796070588, '2026-11-30 20:29:48', '{"userVisible":true,"agentVisible":true}');
INSERT INTO messages (id, message_id, session_id, role, content_json, created_timestamp, timestamp, metadata_json) VALUES
    (11, 'msg_1f90f89b-938f-4337-8be2-f1d2fe365f3c', '20261130_1', 'assistant', '[{"type":"toolRequest","id":"call_5_0","toolCall":{"status":"success","value":{"name":"delegate","arguments":{"instructions":"SUBTASK two","async":true}}},"_meta":{"goose_extension":"summon"}}]', 1796070588, '2026-11-30 20:29:48', '{"userVisible":true,"agentVisible":true}');
INSERT INTO messages (id, message_id, session_id, role, content_json, created_timestamp, timestamp, metadata_json) VALUES
    (12, 'msg_90089ac7-2a4b-438d-a3d3-58ed6da515eb', '20261130_1', 'user', '[{"type":"toolResponse","id":"call_5_0","toolResult":{"status":"success","value":{"content":[{"type":"text","text":"Task 20261130_3 started in background: \"SUBTASK two\"\nContinue with other work. When you need the result, use load(source: \"20261130_3\")."}],"isError":false,"_meta":{"subagent_session_id":"20261130_3"}}}}]', 1796070588, '2026-11-30 20:29:48', '{"userVisible":true,"agentVisible":true}');
INSERT INTO messages (id, message_id, session_id, role, content_json, created_timestamp, timestamp, metadata_json) VALUES
    (13, 'msg_20261130_3_4f81fadd-fbff-44c8-ac84-cf94908af571', '20261130_3', 'user', '[{"type":"text","text":"SUBTASK two"}]', 1796070588, '2026-11-30 20:29:48', '{"userVisible":true,"agentVisible":true}');
INSERT INTO messages (id, message_id, session_id, role, content_json, created_timestamp, timestamp, metadata_json) VALUES
    (14, 'msg_73bfb185-7007-4f95-a469-0aeacec6bef7', '20261130_3', 'assistant', '[{"type":"toolRequest","id":"call_7_0","toolCall":{"status":"success","value":{"name":"write","arguments":{"path":"two.txt","content":"by the second\n"}}},"_meta":{"goose_extension":"developer"}}]', 1796070588, '2026-11-30 20:29:48', '{"userVisible":true,"agentVisible":true}');
INSERT INTO messages (id, message_id, session_id, role, content_json, created_timestamp, timestamp, metadata_json) VALUES
    (15, 'msg_50073577-d521-42a7-88ca-4f626b05087e', '20261130_3', 'user', '[{"type":"toolResponse","id":"call_7_0","toolResult":{"status":"success","value":{"content":[{"type":"text","text":"Created two.txt (1 lines)","annotations":{"priority":0.0}}],"isError":false}}}]', 1796070588, '2026-11-30 20:29:48', '{"userVisible":true,"agentVisible":true}');
INSERT INTO messages (id, message_id, session_id, role, content_json, created_timestamp, timestamp, metadata_json) VALUES
    (16, 'chatcmpl-8', '20261130_3', 'assistant', '[{"type":"text","text":"sub two done"}]', 1796070588, '2026-11-30 20:29:48', '{"userVisible":true,"agentVisible":true}');
INSERT INTO messages (id, message_id, session_id, role, content_json, created_timestamp, timestamp, metadata_json) VALUES
    (17, 'msg_83ec93d5-16a4-4c36-a4c0-894bb52fc856', '20261130_1', 'assistant', '[{"type":"toolRequest","id":"call_6_0","toolCall":{"status":"success","value":{"name":"load","arguments":{"source":"20261130_3"}}},"_meta":{"goose_extension":"summon"}}]', 1796070588, '2026-11-30 20:29:48', '{"userVisible":true,"agentVisible":true}');
INSERT INTO messages (id, message_id, session_id, role, content_json, created_timestamp, timestamp, metadata_json) VALUES
    (18, 'msg_e4f534e4-37e6-4e1b-b559-7b5f396a28f6', '20261130_1', 'user', '[{"type":"toolResponse","id":"call_6_0","toolResult":{"status":"success","value":{"content":[{"type":"text","text":"# Background Task Result: 20261130_3\n\n**Task:** SUBTASK two\n**Status:** ✓ Completed\n**Duration:** 0s (3 turns)\n\n## Output\n\nsub two done"}],"isError":false,"_meta":{"subagent_session_id":"20261130_3"}}}}]', 1796070588, '2026-11-30 20:29:48', '{"userVisible":true,"agentVisible":true}');
INSERT INTO messages (id, message_id, session_id, role, content_json, created_timestamp, timestamp, metadata_json) VALUES
    (19, 'msg_2da92168-7701-48fe-b7f8-f855eeed1c9d', '20261130_1', 'assistant', '[{"type":"toolRequest","id":"call_9_0","toolCall":{"status":"success","value":{"name":"shell","arguments":{"command":"git add -A && git commit -q -m ''Make greet say hello'' && git rev-parse HEAD"}}},"_meta":{"goose_extension":"developer"}}]', 1796070588, '2026-11-30 20:29:48', '{"userVisible":true,"agentVisible":true}');
INSERT INTO messages (id, message_id, session_id, role, content_json, created_timestamp, timestamp, metadata_json) VALUES
    (20, 'msg_636acd95-aaf1-4fe5-b628-14dbac0e2cd7', '20261130_1', 'user', '[{"type":"toolResponse","id":"call_9_0","toolResult":{"status":"success","value":{"content":[{"type":"text","text":"4f44ca12fbbc4290343e363489b15ecf22cd3a57","annotations":{"priority":0.0}}],"structuredContent":{"stdout":"4f44ca12fbbc4290343e363489b15ecf22cd3a57","stderr":"","exit_code":0},"isError":false}}}]', 1796070588, '2026-11-30 20:29:48', '{"userVisible":true,"agentVisible":true}');
INSERT INTO messages (id, message_id, session_id, role, content_json, created_timestamp, timestamp, metadata_json) VALUES
    (21, 'chatcmpl-10', '20261130_1', 'assistant', '[{"type":"text","text":"greet() says hello now, and it is committed."}]', 1796070588, '2026-11-30 20:29:48', '{"userVisible":true,"agentVisible":true}');
