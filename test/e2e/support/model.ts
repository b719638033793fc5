/**
 * A language model that follows a script: a real HTTP server for n8n's "OpenAI Chat Model", so that an AI agent
 * can be tested without a model, with the same result every time. It needs an agent of version 2 or newer, and a model
 * node whose 'Use Responses API' is off. Start it with `startModel()`.
 */

import Fastify from 'fastify';

interface ToolCall {
	tool: string;
	arguments: Record<string, unknown>;
}

/** The next step of the model: a text, which ends the agent's run, or tool calls. */
export type Answer = string | ToolCall | ToolCall[];

/**
 * The steps in order, one for each question. A question that the script does not cover is refused with a sentence
 * that n8n shows as the agent's error.
 */
export type Script = Answer[];

/** Everything that a model receives to decide on the next step. */
export interface Question {
	messages: Array<{ role: string; text: string }>;
	/** The tools that it may call; parameters are the JSON schema of the arguments. */
	tools: Array<{
		name: string;
		description: string;
		parameters: {
			properties: Record<string, { type?: string; description?: string }>;
			required: string[];
		};
	}>;
	/** The answers of the tools since the user's last message, in their order in the conversation. */
	results: string[];
}

export interface Model {
	/** The value for Base URL in n8n's credential "OpenAI", for example http://127.0.0.1:40124/v1. */
	url: string;
	apiKey: string;
	/** All questions since the script started. */
	questions: Question[];
	/** Starts a script and discards previous questions. */
	script(script: Script): void;
	/** Throws if the script had no step for a question, or did not end. */
	assertFinished(): void;
	stop(): Promise<void>;
}

/** The body of a request of OpenAI's Chat Completions API, with the properties that are read. */
interface WireQuestion {
	model: string;
	messages: Array<{ role: string; content?: string | null | Array<{ text?: string }> }>;
	tools?: Array<{ function: Question['tools'][number] }>;
	stream?: boolean | null;
}

const API_KEY = 'sandbox-key-2f81c7';

/** Starts a model on a free port of the loopback interface; it refuses every question until it has a script. */
export async function startModel(): Promise<Model> {
	const questions: Question[] = [];
	let script: Script = [];
	let problems: string[] = [];

	const app = Fastify({ forceCloseConnections: true, bodyLimit: 16 * 1024 * 1024 });
	app.addHook('onRequest', async ({ headers }, reply) => {
		if (headers.authorization === `Bearer ${API_KEY}`) return;
		await reply.code(401).send(refusal('Incorrect API key provided.'));
	});
	app.post('/v1/chat/completions', async ({ body }, reply) => {
		const wire = body as WireQuestion;
		if (wire.stream) throw new Error('The model does not answer piece by piece: switch streaming off.');
		questions.push(readQuestion(wire));
		return await reply.send(completion(questions.length, wire.model, answerTo(script, questions)));
	});
	app.setNotFoundHandler(({ method, url }) => {
		throw new Error(`The model supports only POST /v1/chat/completions, not ${method} ${url}.`);
	});
	app.setErrorHandler(async (error: Error, _request, reply) => {
		problems.push(error.message);
		// A status that n8n does not retry.
		return await reply.code(400).send(refusal(error.message));
	});

	await app.listen({ port: 0, host: '127.0.0.1' });
	return {
		url: `${app.listeningOrigin}/v1`,
		apiKey: API_KEY,
		questions,
		script(next) {
			script = next;
			questions.length = 0;
			problems = [];
		},
		assertFinished() {
			const left = script.length - questions.length;
			const all = left > 0 ? [...problems, `${left} answers of the script were not asked for.`] : problems;
			if (all.length > 0) throw new Error(all.join('\n'));
		},
		stop: async () => await app.close(),
	};
}

function readQuestion({ messages: wire, tools = [] }: WireQuestion): Question {
	const messages = wire.map(({ role, content }) => ({
		role: role === 'developer' ? 'system' : role,
		text: typeof content === 'string' ? content : (content ?? []).map(({ text = '' }) => text).join(''),
	}));
	const since = messages.map(({ role }) => role).lastIndexOf('user');
	const results = messages.slice(since + 1).filter(({ role }) => role === 'tool');
	return {
		messages,
		tools: tools.map((tool) => tool.function),
		results: results.map(({ text }) => text),
	};
}

function answerTo(script: Script, questions: Question[]): string | ToolCall[] {
	const { messages, tools } = questions.at(-1)!;
	const answer = script[questions.length - 1];
	if (answer === undefined) {
		const { role, text } = messages.at(-1)!;
		throw new Error(
			`The script has no answer to question ${questions.length}, which ends with the ${role}'s message "${text}".`,
		);
	}
	if (typeof answer === 'string') return answer;
	const calls = [answer].flat();
	const offered = tools.map(({ name }) => name);
	const unknown = calls.find(({ tool }) => !offered.includes(tool));
	if (unknown)
		throw new Error(`The script calls "${unknown.tool}"; the tools offered are ${offered.join(', ')}.`);
	return calls;
}

function completion(id: number, model: string, answer: string | ToolCall[]) {
	const isText = typeof answer === 'string';
	const calls = (isText ? [] : answer).map(({ tool, arguments: given }, index) => ({
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
		model,
		choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }],
		usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
	};
}

const refusal = (message: string) => ({ error: { message, type: 'invalid_request_error', code: null } });
