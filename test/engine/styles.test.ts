import type { IDataObject } from 'n8n-workflow';

import type { DoneShape } from '../../sandbox/emulator';
import { isReading, operations } from '../operations';
import { runEach, useEach, type Attempt } from './everyOperation';

/*
 * Every form in which a service confirms success, for every operation and error mode. If the node took one of them for a failure,
 * it would repeat or give up a request that succeeded.
 */

const services = useEach();

function expectDoneOnce({ context, result, sent, said, rows, mode }: Attempt) {
	expect([context, said[0]]).toEqual([context, undefined]);
	expect([context, sent.map(({ accepted }) => accepted)]).toEqual([context, [true]]);
	expect([context, result.error, result.outputs[0]]).toEqual([context, undefined, rows]);
	if (mode === 'error output') expect([context, result.outputs[1] ?? []]).toEqual([context, []]);
}

const reading = operations.filter(isReading);
const changing = operations.filter((each) => !isReading(each));
const messages = operations.filter(({ resource }) => resource === 'message');

/** The API documents the answer of this operation: it does not contain rows. */
const documented = 'message/send';

const styles: DoneShape[] = [
	...(['[]', '{}', 'empty body', 'no content', 'success'] as const),
	...(['text 1', 'text true', 'text ok', 'text null', 'json true', 'json 1', 'json null', 'rows'] as const),
];

test.each(styles)('an answer of %s means success', async (style) => {
	for (const service of services) service.answerAll(style);
	const chosen = changing.filter(({ title }) => style !== 'rows' || title !== documented);
	for (const attempt of await runEach(services, { chosen })) {
		const { context, answer, rows } = attempt;
		expectDoneOnce(attempt);
		const row = answer === 'deleted' ? { deleted: true } : { success: true };
		expect([context, rows.map(({ json }) => json)]).toEqual([context, [row]]);
		expect([context, rows[0]!.pairedItem]).toEqual([context, { item: 0 }]);
	}
	const sent = messages.filter((each) => chosen.includes(each)).length;
	for (const service of services) expect(service.deliveries()).toHaveLength(sent);
});

/** The creation time of a new list differs. */
const withoutTimes = (json: IDataObject) => {
	const { created_at: _created, updated_at: _updated, ...rest } = json;
	return rest;
};

test.each([
	['as HTML', false, 'success'],
	['as text', true, '[]'],
	['as logged', 'logged', '{}'],
] as const)('a PHP warning before the answer is not in the output: %s', async (_name, plain, shape) => {
	const rowsOf = async (warns: boolean) => {
		for (const service of services) {
			service.reset();
			service.answerAll(shape);
			service.answers.createListSchema = 'data';
			if (warns) service.faults.add({ kind: 'php warning', plain });
		}
		// One after the other, so that each reads the same data.
		const tried = [
			...(await runEach(services, { chosen: reading })),
			...(await runEach(services, { chosen: changing })),
		];
		for (const attempt of tried) expectDoneOnce(attempt);
		return tried.map(({ context, rows }) => [
			context,
			...rows.map(({ json, pairedItem }) => [withoutTimes(json), pairedItem]),
		]);
	};
	const undisturbed = await rowsOf(false);
	expect(await rowsOf(true)).toEqual(undisturbed);
});
