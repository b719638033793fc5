/**
 * A language model that says what a script says: a real HTTP server for n8n's "OpenAI Chat Model", so that an AI agent
 * can be tried without a model, and with the same outcome every time. It needs an agent of version 2 or newer, and a model's
 * node whose 'Use Responses API' is off. Start it with `startModel()`; what travels is in conversation.ts.
 */

import Fastify from 'fastify';

import { readQuestion, writeAnswer, type Question, type ToolCall, type WireQuestion } from './conversation';

/** What the model says next: a text, which ends the agent's run, or the tools it asks for. */
export type Answer = string | ToolCall | ToolCall[];

/**
 * It is said in its order, one answer to each question. What the script does not provide for is refused with a sentence
 * that n8n shows as the agent's error.
 */
export type Script = Answer[];

export interface Model {
	/** What n8n's credential "OpenAI" calls Base URL, for example http://127.0.0.1:40124/v1. */
	url: string;
	apiKey: string;
	/** All it was asked since the script began. */
	questions: Question[];
	/** Begins a script and forgets what was before. */
	script(script: Script): void;
	/** Throws when a question found no answer in the script, or when the script was not said to its end. */
	assertFinished(): void;
	/** Stops listening and closes open connections too. */
	stop(): Promise<void>;
}

/** Something that the script does not provide for. */
class Unscripted extends Error {}

const API_KEY = 'sandbox-key-2f81c7';

/** Starts one on a free port of the loopback interface; until it has a script, every question is refused. */
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
		if (wire.stream) throw new Unscripted('The model does not answer piece by piece: switch streaming off.');
		const question = readQuestion(wire);
		questions.push(question);
		const answer = answerTo(script, questions);
		return await reply.send(writeAnswer(questions.length, question.model, answer));
	});
	app.setNotFoundHandler(({ method, url }) => {
		throw new Unscripted(`The model knows POST /v1/chat/completions only, not ${method} ${url}.`);
	});
	app.setErrorHandler(async (error: Error, _request, reply) => {
		problems.push(error.message);
		// A status that n8n does not try again.
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

/** The answer to the last of the questions. */
function answerTo(script: Script, questions: Question[]): string | ToolCall[] {
	const question = questions.at(-1)!;
	const answer = script[questions.length - 1];
	if (answer === undefined) {
		const asked = question.messages.at(-1);
		throw new Unscripted(
			`The script has no answer to question ${questions.length}, which ends with the ${asked?.role}'s message "${asked?.text}".`,
		);
	}
	if (typeof answer === 'string') return answer;
	const calls = [answer].flat();
	const offered = question.tools.map(({ name }) => name);
	const unknown = calls.find(({ tool }) => !offered.includes(tool));
	if (unknown) {
		throw new Unscripted(`The script calls "${unknown.tool}"; the tools offered are ${offered.join(', ')}.`);
	}
	return calls;
}

const refusal = (message: string) => ({ error: { message, type: 'invalid_request_error', code: null } });
