/**
 * A conversation as OpenAI's Chat Completions API transfers it, and in readable form: the messages, and the tools that the
 * model was offered.
 */

/** A tool as the model sees it: what to call, when, and with which arguments. */
export interface OfferedTool {
	name: string;
	description: string;
	/** JSON schema of the arguments. */
	parameters: {
		properties: Record<string, { type?: string; description?: string }>;
		required: string[];
	};
}

/** A tool call of the model. */
export interface ToolCall {
	tool: string;
	arguments: Record<string, unknown>;
}

/** One message of a conversation. */
export interface Message {
	role: 'system' | 'user' | 'assistant' | 'tool';
	text: string;
}

/** Everything that a model receives to decide on the next step. */
export interface Question {
	model: string;
	messages: Message[];
	tools: OfferedTool[];
	/** The answers of the tools since the user's last message, in their order in the conversation. */
	results: string[];
}

interface WireMessage {
	role: Message['role'] | 'developer';
	content?: string | null | Array<{ type: string; text?: string }>;
}

/** The body of a request for a completion, with the properties that are read. */
export interface WireQuestion {
	model: string;
	messages: WireMessage[];
	tools?: Array<{
		type: string;
		function: { name: string; description?: string; parameters?: Partial<OfferedTool['parameters']> };
	}>;
	stream?: boolean | null;
}

export function readQuestion({ model, messages: wire, tools = [] }: WireQuestion): Question {
	const messages = wire.map(readMessage);
	const since = messages.map(({ role }) => role).lastIndexOf('user');
	return {
		model,
		messages,
		tools: tools.map(({ function: { name, description = '', parameters } }) => ({
			name,
			description,
			parameters: {
				...parameters,
				properties: parameters?.properties ?? {},
				required: parameters?.required ?? [],
			},
		})),
		results: messages
			.slice(since + 1)
			.filter(({ role }) => role === 'tool')
			.map(({ text }) => text),
	};
}

function readMessage({ role, content }: WireMessage): Message {
	const parts = typeof content === 'string' ? [{ text: content }] : (content ?? []);
	return {
		role: role === 'developer' ? 'system' : role,
		text: parts.map(({ text = '' }) => text).join(''),
	};
}

/** The answer of the API: a text, or the tool calls of the model. */
export function writeAnswer(id: number, model: string, answer: string | ToolCall[]) {
	const message =
		typeof answer === 'string'
			? { role: 'assistant', content: answer }
			: {
					role: 'assistant',
					content: null,
					tool_calls: answer.map(({ tool, arguments: given }, index) => ({
						id: `call_${id}_${index}`,
						type: 'function',
						function: { name: tool, arguments: JSON.stringify(given) },
					})),
				};
	return {
		id: `chatcmpl-${id}`,
		object: 'chat.completion',
		created: Math.floor(Date.now() / 1000),
		model,
		choices: [{ index: 0, message, finish_reason: typeof answer === 'string' ? 'stop' : 'tool_calls' }],
		usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
	};
}
