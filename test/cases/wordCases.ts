import type { Refused } from './refused';

/* A message in which code has written a word for a value that is missing: n8n empties only a path that gives nothing. */

const rows: Array<[text: string, value: unknown, word: string]> = [
	["={{ 'Здравствуйте, ' + $json.value + '!' }}", undefined, 'undefined'],
	['=Анна, {{ JSON.stringify({ a: 1 }) }} {{ String($json.value) }}', undefined, 'undefined'],
	["={{ typeof $json.value === 'undefined' ? $json.value + '' : '' }}", undefined, 'undefined'],
	["={{ $json.value.map((each) => each.name + '!').join() }}", [{ name: 'А' }, {}], 'undefined'],
	// The data contain the word once, and not where code reads.
	["={{ 'Сбой ' + $json.value.error + $json.value.name }}", { error: 'name is undefined' }, 'undefined'],
	['={{ $json.value.text }}{{ "!" + $json.value.none }}', { text: 'undefined' }, 'undefined'],
	['=Заказ {{ "№ " + $json.value }}', null, 'null'],
	['=Друг{{ $json.value ? "" : null + "" }}', false, 'null'],
	['={{ $json.value + "kg" }}', null, 'null'],
	['={{ "No" + $json.value }}', null, 'null'],
	['=К оплате {{ Number($json.value).toFixed(2) }} ₽', '100 ₽', 'NaN'],
	['={{ $json.value * 2 }}', undefined, 'NaN'],
	["=№ {{ 'A' + Number($json.value) }}", '100 ₽', 'NaN'],
	["={{ new Intl.NumberFormat('ru').format($json.value) }} ₽", undefined, 'не\u00a0число'],
	["={{ new Intl.NumberFormat('ru').format(5 / $json.value) }} ₽", 0, '∞'],
	['=По {{ 5 / $json.value }} ₽', 0, 'Infinity'],
];

/* In other fields: engine/codeWrites.test.ts. */
export const wordCases = rows.map(([text, value, word]): Refused => {
	return ['message/send', { text }, [value], `}}\` wrote '${word}'`];
});
