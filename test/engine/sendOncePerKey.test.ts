import { setGlobalState, type IDataObject } from 'n8n-workflow';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { invalidValues } from '../../nodes/ChatbotService/client/failure';
import { sendOncePer } from '../../nodes/ChatbotService/resources/message/options';
import { looksAlike, lostPart, lostWord, unprotected } from '../../nodes/ChatbotService/run/values/problems';
import { projectFolder } from '../../sandbox/host';
import { all, came, send, withOnce, withOnceScene, type OnceScene } from './once';

/*
 * The value of 'Send Once Per': which messages it stands for, and what is refused. A value that lost the part in which items differ is
 * refused before anything leaves. Otherwise the first order of a person would be sent, and all later ones would be skipped as if they
 * had been sent.
 */

const label = sendOncePer.displayName;
const keyed = (key: string) => ({ ...send, ...withOnce(key) });
const order = { order: 'A-1', zero: 0, no: false, long: Number('7615917337495251231') };

test.concurrent.each<[key: string, code?: string]>([
	['=order {{ $json.ordr }}', '{{ $json.ordr }}'],
	['=order {{ $json.ordr }} {{ $json.order }}', '{{ $json.ordr }}'],
	['=order {{ $json.order.missing.id }}', '{{ $json.order.missing.id }}'],
	['=order {{ Number($json.order) }}', '{{ Number($json.order) }}'],
	["={{ 'order ' + $json.ordr }}", "{{ 'order ' + $json.ordr }}"],
	["=day {{ DateTime.fromISO($json.order).toFormat('yyyy-MM-dd') }}"],
	['=order {{ $json.long }}'],
	['order {{ $json.order }}'],
])(
	'a value without its part is refused before anything leaves: %s',
	withOnceScene(async ({ service, inStopMode, letters }, key, code) => {
		const people = letters(2).map((each) => ({ ...order, ...each }));
		const { error } = await inStopMode({ parameters: keyed(key), items: people });
		expect(error?.message).toContain(`'${label}'`);
		if (code) expect(error?.description).toContain(`"${code}"`);
		expect(service.requests).toEqual([]);
	}),
);

test.concurrent.each<[key: string, count: number]>([
	['order', 1],
	['=order {{ $json.order }}', 1],
	['=order {{ $json.zero }}', 1],
	['=annullen {{ $json.order + "\\u00a0" }}', 1],
	['={{ "" }}', 2],
])(
	'a complete value is the same for the same item, with %s: nobody gets a second message, unless there is no value',
	withOnceScene(async ({ service, inStopMode, letters }, key, count) => {
		const items = letters(1).map((person) => ({ ...order, ...person }));
		for (let time = 0; time < 2; time++)
			expect((await inStopMode({ parameters: keyed(key), items })).error).toBeUndefined();
		expect(service.deliveries()).toHaveLength(count);
	}),
);

test.concurrent(
	'a value without its part is refused with the name of the option, of the part and of the column that was probably meant',
	withOnceScene(async ({ inStopMode, letters }) => {
		const items = letters(1).map((each) => ({ ...each, 'Номер \u200bзаказа': 'A-1' }));
		const parameters = keyed('=заказ {{ $json["Номер заказа"] }}');
		const { error } = await inStopMode({ parameters, items });
		const lost = lostPart(label, ['{{ $json["Номер заказа"] }}']);
		const { message, description } = invalidValues([looksAlike(lost, 'Номер \u200bзаказа')]);
		expect([error?.message, error?.description]).toEqual([`${message} [Item 0]`, description]);
	}),
);

test.concurrent(
	'a value without its part fails only its own item when On Error continues',
	withOnceScene(async ({ run, letters }) => {
		const items = letters(3).map((each, index) => ({
			...each,
			order: ['7', null, '9'][index],
		}));
		const { outputs } = await run({
			parameters: keyed("={{ 'order ' + $json.order }}"),
			items: items as IDataObject[],
			node: { onError: 'continueErrorOutput' },
		});
		expect(outputs.map((output) => output.length)).toEqual([2, 1]);
		expect(outputs[1]![0]!.json.error).toBe(`${lostWord(label, '', '').message} [Item 1]`);
	}),
);

test.concurrent(
	"each value of 'Send Once Per' stands for one message, which is sent once",
	withOnceScene(async ({ run, letters, howOften }) => {
		const [item] = letters(1);
		const orders = ['заказ 1', 'заказ 2', 'заказ 1'].map((order) => ({ ...item!, order }));
		const parameters = { ...send, ...withOnce('={{ $json.order }}') };
		const result = await run({ parameters, items: orders });
		expect(came(result)).toEqual(['sent', 'sent', 'skipped']);
		expect(came(await run({ parameters, items: orders }))).toEqual(all(3, 'skipped'));
		expect(howOften([item!])).toEqual([2]);
	}),
);

test.concurrent.each(['', '={{ "  " }}'])(
	"an empty value of 'Send Once Per' (%j) has no effect and needs no store",
	withOnceScene(async ({ run, letters, howOften, deduplication }, value) => {
		const items = letters(2);
		const parameters = { ...send, ...withOnce(value) };
		for (const store of [deduplication, deduplication, null])
			expect(came(await run({ parameters, items, deduplication: store }))).toEqual(['sent', 'sent']);
		expect(howOften(items)).toEqual([3, 3]);
	}),
);

test.concurrent.each(['null', '$json.nothing'])(
	"a value of 'Send Once Per' that evaluates to %s is refused before anything is sent",
	withOnceScene(async ({ service, run, inStopMode, letters, howOften }, code) => {
		const items = letters(3);
		const parameters = { ...send, ...withOnce(`={{ $itemIndex === 1 ? ${code} : 'осень' }}`) };
		const { error } = await inStopMode({ parameters, items });
		expect(error?.message).toBe(`${unprotected(sendOncePer.displayName).message} [Item 1]`);
		expect(service.requests).toEqual([]);
		expect(came(await run({ parameters, items }))).toEqual(['sent', 'failed', 'sent']);
		expect(howOften(items)).toEqual([1, 0, 1]);
	}),
);

test.concurrent(
	"items without a value of 'Send Once Per' are sent every time",
	withOnceScene(async ({ run, letters, howOften }) => {
		const items = letters(4);
		const parameters = { ...send, ...withOnce("={{ $itemIndex % 2 ? 'осень' : '' }}") };
		expect(came(await run({ parameters, items }))).toEqual(all(4, 'sent'));
		expect(came(await run({ parameters, items }))).toEqual(['sent', 'skipped', 'sent', 'skipped']);
		expect(howOften(items)).toEqual([2, 1, 2, 1]);
	}),
);

/* A recipe of docs/sending.md, with the expression that the page shows. */
describe('at most one promotion a week for each person', () => {
	beforeAll(() => setGlobalState({ defaultTimezone: 'Europe/Moscow' }));

	const [recipe] = /\{\{[^}]*\$now[^}]*\}\}/.exec(
		readFileSync(join(projectFolder, 'docs/sending.md'), 'utf8'),
	) as unknown as [string];
	/** No test can change the clock of an isolate, in which some engines evaluate expressions. */
	const atTimeOfItem = recipe.replace('$now', () => 'DateTime.fromISO($json.at)');
	const parameters = { ...send, ...withOnce(`=${atTimeOfItem}`) };

	/** @returns a function that sends a promotion to these people at a time, and returns the different outcomes */
	const promotionsTo = (scene: OnceScene, people: ReturnType<OnceScene['letters']>) => async (at: string) => {
		const items = people.map((person) => ({ ...person, at, text: `Акция, ${at}` }));
		const outcomes = new Set(came(await scene.run({ parameters, items })));
		return [...outcomes].join(', ');
	};

	test.concurrent(
		'a second promotion in the same week skips everybody who got the first, and reaches the others',
		withOnceScene(async (scene) => {
			const people = scene.letters(2);
			const promote = promotionsTo(scene, people);
			expect(await promote('2026-11-23T00:01:00+03:00')).toBe('sent');
			expect(await promote('2026-11-29T23:59:00+03:00')).toBe('skipped');
			expect(await promotionsTo(scene, scene.letters(1))('2026-11-29T23:59:30+03:00')).toBe('sent');
			expect(await promote('2026-11-30T00:01:00+03:00')).toBe('sent');
			expect(scene.howOften(people)).toEqual([2, 2]);
		}),
	);

	test.concurrent(
		'the week that contains the turn of the year is one week',
		withOnceScene(async (scene) => {
			const promote = promotionsTo(scene, scene.letters(2));
			expect(await promote('2026-12-28T10:00:00+03:00')).toBe('sent');
			expect(await promote('2026-12-31T23:59:00+03:00')).toBe('skipped');
			expect(await promote('2027-01-03T23:59:00+03:00')).toBe('skipped');
			expect(await promote('2027-01-04T00:01:00+03:00')).toBe('sent');
			// One year later the number of the week is the same, and the year is not.
			expect(await promote('2028-01-03T10:00:00+03:00')).toBe('sent');
		}),
	);

	test.concurrent(
		"the week begins on Monday in n8n's time zone",
		withOnceScene(async (scene) => {
			const promote = promotionsTo(scene, scene.letters(2));
			expect(await promote('2026-11-29T12:00:00+03:00')).toBe('sent');
			// In Moscow it is Sunday, in Vladivostok Monday.
			expect(await promote('2026-11-30T00:01:00+10:00')).toBe('skipped');
			expect(await promote('2026-11-29T21:01:00Z')).toBe('sent');
		}),
	);
});
