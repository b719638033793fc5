import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

import { Interrupted } from './session';

/*
 * Questions to the person at the terminal, and Ctrl+C. Questions go to the standard error, so that the report can be redirected to a
 * file.
 */

export type Terminal = ReturnType<typeof prompts>;

/** Without a terminal, the answers are the lines of the standard input. */
export function prompts() {
	let isHidden = false;
	let isClosed = false;
	const output = new Writable({
		write(chunk: Buffer, _encoding, done) {
			if (!isHidden) process.stderr.write(chunk);
			done();
		},
	});
	const terminal = process.stdin.isTTY;
	// Without a history, the arrow keys do not bring back the token.
	const lines = createInterface({ input: process.stdin, output, terminal, historySize: 0 });
	lines.on('close', () => (isClosed = true));
	// While it reads, the terminal sends no signal for Ctrl+C.
	lines.on('SIGINT', () => process.emit('SIGINT'));
	const answers = lines[Symbol.asyncIterator]();
	const say = (text: string) => console.error(text);
	return {
		say,
		/** Writes the report. */
		print: (text: string) => console.log(text),
		/** @returns the answer without blanks around it; empty if there is none */
		async ask(question: string, { isSecret = false } = {}): Promise<string> {
			if (isClosed) process.stderr.write(question);
			else {
				lines.setPrompt(question);
				lines.prompt();
			}
			isHidden = isSecret;
			const { value } = await answers.next();
			isHidden = false;
			if (isSecret) say('');
			return String(value ?? '').trim();
		},
		close: () => lines.close(),
	};
}

/** Asks until the person interrupts. */
export function interruptible(ask: Terminal['ask'], signal?: AbortSignal): Terminal['ask'] {
	const interrupted = new Promise<never>((_resolve, reject) => {
		signal?.addEventListener('abort', () => reject(new Interrupted()));
	});
	// Between two questions, nobody waits for it.
	interrupted.catch(() => {});
	return async (...given) => {
		if (signal?.aborted) throw new Interrupted();
		return await Promise.race([ask(...given), interrupted]);
	};
}

/** Aborted by the first Ctrl+C. @param again called for every further one */
export function interruption(again: () => void): AbortSignal {
	const controller = new AbortController();
	for (const name of ['SIGINT', 'SIGTERM'] as const)
		process.on(name, () => (controller.signal.aborted ? again() : controller.abort()));
	return controller.signal;
}
