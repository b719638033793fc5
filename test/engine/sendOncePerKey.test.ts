import { setGlobalState, type IDataObject } from 'n8n-workflow';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { invalidValues } from '../../nodes/ChatbotService/client/failure/failure';
import { sendOncePer } from '../../nodes/ChatbotService/resources/message/options';
import { looksAlike, lostPart, unprotected } from '../../nodes/ChatbotService/run/values/problems';
import { sameForOthers } from '../../nodes/ChatbotService/run/values/sendOncePer';
import { projectFolder } from '../../sandbox/host';
import { all, came, send, withOnce, withOnceScene } from './once';

/*
 * The value of 'Send Once Per': which messages it stands for, and what is refused. A value that lost the part in which items differ is
 * refused before anything leaves. Otherwise the first order of a person would be sent, and all later ones would be skipped as if they
 * had been sent.
 */

const label = sendOncePer.displayName;
const keyed = (key: string) => ({ ...send, ...withOnce(key) });
const order = {
	...{ order: 'A-1', zero: 0, long: Number('7615917337495251231') },
	...{ blank: ' ', hard: '\u00a0', unseen: '\u200b', nothing: null },
};

test.concurrent.each<[key: string, code?: string]>([
	['=order {{ $json.ordr }}', '{{ $json.ordr }}'],
	['=order {{ $json.ordr }} {{ $json.order }}', '{{ $json.ordr }}'],
	['=order {{ $json.order.missing.id }}', '{{ $json.order.missing.id }}'],
	...['blank', 'hard', 'unseen', 'nothing'].map((name): [string, string] => [
		`=order {{ $json.${name} }}`,
		`{{ $json.${name} }}`,
	]),
	['=order {{ Number($json.order) }}', '{{ Number($json.order) }}'],
	...["'order ' + $json.ordr", "'order ' + null", "'order' + Number($json.order)"].map(
		(code): [string, string] => [`={{ ${code} }}`, `{{ ${code} }}`],
	),
	["=day {{ DateTime.fromISO($json.order).toFormat('yyyy-MM-dd') }}"],
	['=order {{ $json.long }}'],
	['order {{ $json.order }}'],
])(
	'a value without its part is refused before anything leaves: %s',
	withOnceScene(async ({ refusalOf, letters }, key, code = '') => {
		const items = letters(2).map((each) => ({ ...order, ...each }));
		const { message, description } = await refusalOf({ parameters: keyed(key), items });
		expect(message).toContain(`'${label}'`);
		expect(description).toContain(code);
	}),
);

test.concurrent.each([
	'order',
	'=order {{ $json.order }}',
	'=order {{ $json.zero }}',
	'=annullen {{ $json.order + "\\u00a0" }}',
])(
	'a complete value is the same for the same item, so that nobody gets a second message: %s',
	withOnceScene(async ({ run, letters }, key) => {
		const items = letters(1).map((person) => ({ ...order, ...person }));
		const parameters = keyed(key);
		expect(came(await run({ parameters, items }))).toEqual(['sent']);
		expect(came(await run({ parameters, items }))).toEqual(['skipped']);
	}),
);

test.concurrent(
	'a value without its part is refused with the name of the option, of the part and of the column that was probably meant',
	withOnceScene(async ({ refusalOf, letters }) => {
		const items = letters(1).map((each) => ({ ...each, 'Номер \u200bзаказа': 'A-1' }));
		const parameters = keyed('=заказ {{ $json["Номер заказа"] }}');
		const lost = lostPart(label, ['{{ $json["Номер заказа"] }}'], sameForOthers);
		const { message, description } = invalidValues([looksAlike(lost, 'Номер \u200bзаказа')]);
		const refusal = await refusalOf({ parameters, items });
		expect([refusal.message, refusal.description]).toEqual([`${message} [Item 0]`, description]);
	}),
);

test.concurrent.each([
	["={{ 'order ' + $json.order }}", lostPart(label, []).message],
	['={{ $json.order }}', unprotected(label).message],
])(
	'an item without the data of the value %s is refused, and fails alone when On Error continues',
	withOnceScene(async ({ run, refusalOf, letters, howOften }, key, message) => {
		const orders = ['7', null, '9'];
		const people = letters(3);
		const items = people.map((each, index) => ({ ...each, order: orders[index] })) as IDataObject[];
		const parameters = keyed(key);
		expect((await refusalOf({ parameters, items })).message).toBe(`${message} [Item 1]`);
		expect(came(await run({ parameters, items }))).toEqual(['sent', 'failed', 'sent']);
		expect(howOften(people)).toEqual([1, 0, 1]);
	}),
);

test.concurrent(
	"each value of 'Send Once Per' stands for one message to a person, however it is written and whatever the message says",
	withOnceScene(async ({ run, letters, howOften }) => {
		const [item, other] = letters(2);
		const values = ['заказ', 'заказ 2', '5', '05', '5.0', '+7916', '7916', 1048576, 0, true];
		const items = values.map((order) => ({ ...item!, order }));
		const parameters = keyed('={{ $json.order }}');
		expect(came(await run({ parameters, items: [...items, items[0]!] }))).toEqual([
			...all(values.length, 'sent'),
			'skipped',
		]);
		const again = items.map((each) => ({ ...each, order: ` ${each.order}\n`, text: 'Другие слова' }));
		expect(came(await run({ parameters, items: again }))).toEqual(all(values.length, 'skipped'));
		expect(came(await run({ parameters, items: [{ ...other!, order: 'заказ' }] }))).toEqual(['sent']);
		expect(howOften([item!, other!])).toEqual([values.length, 1]);
	}),
);

test.concurrent.each(['', '={{ "  " }}'])(
	"an empty value of 'Send Once Per' (%j) has no effect and needs no store",
	withOnceScene(async ({ run, letters, howOften, deduplication }, value) => {
		const items = letters(2);
		for (const store of [deduplication, deduplication, null]) {
			const result = await run({ parameters: keyed(value), items, deduplication: store });
			expect(came(result)).toEqual(['sent', 'sent']);
		}
		expect(howOften(items)).toEqual([3, 3]);
	}),
);

/* A recipe of docs/sending.md, with the expression that the page shows. */
describe('at most one promotion a week for each person', () => {
	beforeAll(() => setGlobalState({ defaultTimezone: 'Europe/Moscow' }));
	afterAll(() => setGlobalState({ defaultTimezone: 'America/New_York' }));

	test.concurrent(
		"the week begins on Monday in n8n's time zone, also when it contains the turn of the year",
		withOnceScene(async ({ run, letters }) => {
			const page = readFileSync(join(projectFolder, 'docs/sending.md'), 'utf8');
			const [recipe] = /\{\{[^}]*\$now[^}]*\}\}/.exec(page)!;
			// No test can change the clock of an isolate, in which some engines evaluate expressions.
			const parameters = keyed(`=${recipe.replace('$now', () => 'DateTime.fromISO($json.at)')}`);
			const [person] = letters(1);
			const items = [
				'2026-12-28T10:00:00+03:00',
				'2027-01-03T23:59:00+03:00',
				// In Moscow it is still Sunday.
				'2027-01-04T00:01:00+10:00',
				'2027-01-04T00:01:00+03:00',
				// The number of the week is the same, and the year is not.
				'2028-01-03T10:00:00+03:00',
			].map((at) => ({ ...person!, at }));
			expect(came(await run({ parameters, items }))).toEqual([
				...['sent', 'skipped', 'skipped', 'sent', 'sent'],
			]);
		}),
	);
});
