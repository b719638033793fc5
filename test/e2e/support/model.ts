import Fastify from 'fastify';

/*
 * A language model that follows a script: a real HTTP server for n8n's "OpenAI Chat Model", so that an AI agent can be tested without a
 * model, with the same result every time. It needs an agent of version 2 or newer, and a model node whose 'Use Responses API' is off.
 */

interface ToolCall {
	tool: string;
	arguments: Record<string, unknown>;
}

/** The model's answers to its questions in order: a text, which ends the agent's run, or tool calls. */
type Script = Array<string | ToolCall | ToolCall[]>;

interface Tool {
	name: string;
	description: string;
	/** The JSON schema of the arguments. */
	parameters: {
		properties: Record<string, { type?: string; description?: string }>;
		required: string[];
	};
}

/** What a model receives to decide on the next step. */
interface Question {
	/** The tools that it may call. */
	tools: Tool[];
	/** The answers of the tools since the user's last message, in their order in the conversation. */
	results: string[];
}

export interface Model {
	/** The value for Base URL in n8n's credential "OpenAI". */
	url: string;
	/** All questions since the script started. */
	questions: Question[];
	/** Starts a script and discards previous questions. */
	script(script: Script): void;
	/** Throws if the script had no answer to a question, or did not end. */
	assertFinished(): void;
	stop(): Promise<void>;
}

/** The body of a request of OpenAI's Chat Completions API, with the properties that are read. */
interface WireQuestion {
	messages: Array<{ role: string; content?: string | null | Array<{ text?: string }> }>;
	tools?: Array<{ function: Tool }>;
}

/** Starts a model on a free port of the loopback interface; it refuses every question until it has a script. */
export async function startModel(): Promise<Model> {
	const questions: Question[] = [];
	let script: Script = [];
	let problems: string[] = [];

	const app = Fastify({ forceCloseConnections: true, bodyLimit: 16 * 1024 * 1024 });
	app.post('/v1/chat/completions', async ({ body }) => {
		questions.push(readQuestion(body as WireQuestion));
		const answer = script[questions.length - 1];
		if (answer === undefined) throw new Error(`The script has no answer to question ${questions.length}.`);
		return completion(questions.length, answer);
	});
	app.setErrorHandler(async ({ message }: Error, _request, reply) => {
		problems.push(message);
		// A status that n8n does not retry.
		return await reply.code(400).send({ error: { message, type: 'invalid_request_error', code: null } });
	});

	await app.listen({ port: 0, host: '127.0.0.1' });
	return {
		url: `${app.listeningOrigin}/v1`,
		questions,
		script(next) {
			script = next;
			questions.length = 0;
			problems = [];
		},
		assertFinished() {
			expect({ problems, asked: questions.length }).toEqual({ problems: [], asked: script.length });
		},
		stop: async () => await app.close(),
	};
}

function readQuestion({ messages, tools = [] }: WireQuestion): Question {
	const since = messages.map(({ role }) => role).lastIndexOf('user');
	const results = messages.slice(since + 1).filter(({ role }) => role === 'tool');
	return {
		tools: tools.map((tool) => tool.function),
		results: results.map(({ content }) =>
			Array.isArray(content) ? content.map(({ text = '' }) => text).join('') : (content ?? ''),
		),
	};
}

function completion(id: number, answer: Script[number]) {
	const isText = typeof answer === 'string';
	const calls = (isText ? [] : [answer].flat()).map(({ tool, arguments: given }, index) => ({
		id: `call_${id}_${index}`,
		type: 'function',
		function: { name: tool, arguments: JSON.stringify(given) },
	}));
	const message = isText ? { content: answer } : { content: null, tool_calls: calls };
	const finish_reason = isText ? 'stop' : 'tool_calls';
	return {
		id: `chatcmpl-${id}`,
		object: 'chat.completion',
		created: Math.floor(Date.now() / 1000),
		model: 'scripted',
		choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }],
		usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
	};
}
