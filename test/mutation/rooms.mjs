/**
 * Which files are mutated, and which tests have to notice: those of the same room, so that each mutant costs a second
 * rather than a minute.
 *
 * @typedef {{ mutate: string[], tests: string[], testTimeout?: number }} Room
 */

const request = (...names) => names.map((name) => `nodes/ChatbotService/request/${name}.ts`);
const unit = (...names) => names.map((name) => `test/unit/${name}.test.ts`);

/** @type {Record<string, Room>} */
export const rooms = {
	pipeline: { mutate: request('pipeline'), tests: ['test/mutation/engine.ts'], testTimeout: 10_000 },
	run: {
		mutate: request('run', 'gate'),
		tests: ['test/mutation/engine.ts', ...unit('run', 'gate')],
		testTimeout: 10_000,
	},
	pace: { mutate: request('turn', 'window'), tests: unit('turn', 'window') },
	kinds: { mutate: request('kinds'), tests: unit('kinds') },
	check: { mutate: request('check'), tests: unit('check') },
	answer: { mutate: request('answer'), tests: unit('answer') },
	failure: { mutate: request('failure', 'transport', 'retry'), tests: unit('failure', 'transport', 'retry') },
	places: { mutate: request('secrets', 'target', 'limits'), tests: unit('secrets', 'target', 'limits') },
	credential: {
		mutate: [...request('credential'), 'nodes/ChatbotService/shared/{baseUrl,token}.ts', 'credentials/*.ts'],
		tests: [...unit('credential', 'baseUrl'), 'test/description/credential.test.ts'],
	},
};
