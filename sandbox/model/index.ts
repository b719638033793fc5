/**
 * A language model that follows a script: a real HTTP server for n8n's "OpenAI Chat Model", so that an AI agent
 * can be tested without a model, with the same result every time. It needs an agent of version 2 or newer, and a model
 * node whose 'Use Responses API' is off. Start it with `startModel()`; conversation.ts describes the messages.
 */

import Fastify from 'fastify';

import { readQuestion, writeAnswer, type Question, type ToolCall, type WireQuestion } from './conversation';

/** The next step of the model: a text, which ends the agent's run, or tool calls. */
export type Answer = string | ToolCall | ToolCall[];

/**
 * The steps in order, one for each question. A question that the script does not cover is refused with a sentence
 * that n8n shows as the agent's error.
 */
export type Script = Answer[];

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
	/** Stops listening and closes open connections too. */
	stop(): Promise<void>;
}

/** A question that the script does not cover. */
class Unscripted extends Error {}

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

/** The answer to the last question. */
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
