/* The measured figures in the documents: which page shows which measurement. `npm run bench -- render` writes them there. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { projectFolder } from '../sandbox/host/paths';
import { spreadOf } from './figures';
import { readRecords, type RecordName } from './records';
import type { Column } from './row';
import type { Results } from './tables';

type Language = 'en' | 'ru';

/** A measured figure in a sentence. */
interface Figure {
	value: number;
	/** Decimal places. */
	digits: number;
}

/** Words of a page with figures, in both languages: each {} stands for one figure. A space also matches a line break. */
export interface Statement extends Record<Language, string> {
	/** The name of both pages, without .md. */
	page: string;
	figures: () => Figure[];
	/** Measured values that contradict the words around the figures, such as "nobody" or "a second or two". */
	contradicted?: () => number[];
}

/** A row or a record that is not in its file yet. */
class NotMeasured extends Error {}

export const readResults = () => JSON.parse(readFileSync(join(__dirname, 'results.json'), 'utf8')) as Results;

/** The runs of a contender. @param table the beginning of its heading in results.md, such as 'late' */
export function resultOf(table: string, contender: string, column: Column): number[] {
	const { rows } = readResults();
	if (rows.every(({ name }) => name !== /^\w+/.exec(table)![0])) throw new NotMeasured(table);
	const row = rows.find(({ name, title }) => `${name}: ${title}`.startsWith(table));
	const values = row?.lines.find((line) => line.contender === contender)?.figures[column];
	if (!values) throw new Error(`results.json has no "${column}" of ${contender} in ${table}`);
	return values;
}

export function recordOf(name: RecordName, figure: string): number[] {
	const record = readRecords()[name];
	if (!record) throw new NotMeasured(name);
	const values = record.figures[figure];
	if (!values) throw new Error(`records.json has no "${figure}" of ${name}`);
	return values;
}

export const median = (values: number[], digits = 0, unit = 1): Figure => ({
	value: spreadOf(values).median / unit,
	digits,
});

/** For words such as "within": rounded up, so that no measured value is greater. */
export function within(values: number[], digits: number, unit = 1): Figure {
	const step = 10 ** digits;
	return { value: Math.ceil((spreadOf(values).max / unit) * step) / step, digits };
}

const outside = (least: number, most: number, value: number) =>
	value < least || value > most ? [value] : [];

/** Contradictions to words that say that there are none of something. */
const noneIn = (name: RecordName, ...figures: string[]) =>
	figures.flatMap((figure) => recordOf(name, figure)).filter(Boolean);
const noneOf = (table: string, contender: string, ...columns: Column[]) =>
	columns.flatMap((column) => resultOf(table, contender, column)).filter(Boolean);
const nobodyIn = (name: 'together' | 'orders') => noneIn(name, 'doubled', 'lost', 'inDoubt');

const ours = 'Chatbot Service';
const sendOncePer = `${ours}, Send Once Per`;
const perSecond = 'HTTP Request, 2 per 1000 ms';
const slower = 'HTTP Request, 2 per 1100 ms';
const retrying = `${slower}, Retry On Fail`;

const storeRow = (size: number, en: string, ru: string): Statement => ({
	page: 'interrupted',
	figures: () => [median(recordOf('sqlite', `ms${size}`)), median(recordOf('postgres', `ms${size}`))],
	en,
	ru,
});

/** A row of README's table: how much of the limit is used. */
const shareRow = (table: string, en: string, ru: string): Statement => ({
	page: 'README',
	figures: () => [perSecond, ours].map((each) => median(resultOf(table, each, 'share'), 1, 0.01)),
	contradicted: () => [perSecond, ours].flatMap((each) => noneOf(table, each, 'lost')),
	en: `${en} | 2 per 1000 ms: none lost, {} % of the limit | none lost, {} % of the limit |`,
	ru: `${ru} | 2 за 1000 мс: ничего не потеряно, {} % лимита | ничего не потеряно, {} % лимита |`,
});

const heavy = 'large: 10000 messages at once, 2 expressions, engine vm';

export const statements: Statement[] = [
	{
		page: 'README',
		figures: () => [median(resultOf('late', ours, 'once'))],
		contradicted: () => noneOf('late', ours, 'lost', 'doubled'),
		en: 'also when the service counts requests late: {} of 150',
		ru: 'даже если сервис учитывает запросы с опозданием: {} из 150',
	},
	{
		page: 'README',
		figures: () => [
			median(resultOf('late', perSecond, 'lost')),
			median(resultOf('late', slower, 'lost')),
			median(resultOf('late', retrying, 'lost')),
			median(resultOf('late', retrying, 'doubled')),
		],
		contradicted: () => noneOf('late', ours, 'lost', 'doubled'),
		en:
			'the service counts requests up to 150 ms late | 2 per 1000 ms: {} lost<br>2 per 1100 ms: {} lost<br>' +
			'2 per 1100 ms, Retry On Fail: {} lost, {} more than once | none lost, none twice |',
		ru:
			'сервис учитывает запросы с опозданием до 150 мс | 2 за 1000 мс: потеряно {}<br>2 за 1100 мс: потеряно {}<br>' +
			'2 за 1100 мс и Retry On Fail: потеряно {}, доставлено больше одного раза {} | ничего не потеряно и не доставлено дважды |',
	},
	shareRow('limit', 'counts at once', 'учитывает запросы сразу'),
	{
		page: 'README',
		figures: () => [
			median(resultOf(heavy, 'HTTP Request', 'blockedMs')),
			median(resultOf(heavy, ours, 'blockedMs')),
		],
		en: "10,000 messages without a limit: longest time in which n8n's engine does nothing else | {} ms | {} ms |",
		ru: '10 000 сообщений без лимита: сколько движок n8n самое долгое не делает ничего другого | {} мс | {} мс |',
	},
	shareRow('answers', 'answers take up to 300 ms', 'ответы идут до 300 мс'),
	{
		page: 'README',
		figures: () => [within(recordOf('others', 'workflowMs'), 1, 1000)],
		en: 'while the node sends 10,000 messages, other workflows answer within {} seconds',
		ru: 'пока узел отправляет 10 000 сообщений, другие воркфлоу отвечают за {} секунды и быстрее',
	},
	{
		page: 'queue-mode',
		figures: () => [
			median(recordOf('workersSet', 'share'), 1, 0.01),
			median(recordOf('workersSet', 'refused')),
			median(recordOf('workersLeft', 'share'), 1, 0.01),
			median(recordOf('workersLeft', 'refused')),
		],
		contradicted: () =>
			(['workersSet', 'workersLeft'] as const).flatMap((name) => noneIn(name, 'lost', 'doubled', 'givenUp')),
		en:
			'with *Workers* set to 2, they use {} % of the limit, and the service refuses {} of 100 requests at first; ' +
			'with *Workers* left at 1, {} % and {}. Nothing is lost and nothing is sent twice.',
		ru:
			'при *Workers* 2 они используют {} % лимита, сервис сначала отклоняет запросов: {} из 100; ' +
			'если оставить 1, {} % и {}. Ничего не теряется и не отправляется дважды.',
	},
	{
		page: 'limits',
		figures: () => [
			within(recordOf('others', 'healthMs'), 1, 1000),
			within(recordOf('others', 'workflowMs'), 1, 1000),
		],
		en: 'health check answered within {} seconds, another workflow within {} seconds',
		ru: 'проверку состояния за {} секунды и быстрее, другое воркфлоу — за {}.',
	},
	{
		page: 'limits',
		figures: () => [median(resultOf('bursts', ours, 'wallMs'), 0, 1000)],
		contradicted: () =>
			outside(0, 2.5, within(resultOf('bursts', `${ours}, Bursts`, 'wallMs'), 1, 1000).value),
		en: 'a hundred tags take a second or two instead of {}.',
		ru: 'сто тегов займут секунду-две вместо {} секунд.',
	},
	{
		page: 'interrupted',
		figures: () => [median(recordOf('single', 'withoutMs')), median(recordOf('single', 'withMs'))],
		// "About 0.3 seconds later."
		contradicted() {
			const [withoutMs, withMs] = [recordOf('single', 'withoutMs'), recordOf('single', 'withMs')];
			return outside(250, 350, median(withMs).value - median(withoutMs).value);
		},
		en: 'from webhook to answer: {} ms without the option, {} ms with it',
		ru: 'от вебхука до ответа: {} мс без этого поля, {} мс с ним',
	},
	{
		page: 'interrupted',
		figures: () => [],
		contradicted() {
			const [calls, ms] = [
				resultOf('oncePaced', sendOncePer, 'storeCalls'),
				resultOf('oncePaced', sendOncePer, 'wallMs'),
			];
			return outside(2, 3, median(calls).value / median(ms, 0, 1000).value);
		},
		en: 'At the default pace, the node makes two to three calls per second, for all its runs together.',
		ru: 'При обычном темпе узел обращается к хранилищу два-три раза в секунду, на все свои запуски вместе.',
	},
	storeRow(1_000, '| 1,000 | about {} ms | about {} ms |', '| 1000 | около {} мс | около {} мс |'),
	storeRow(10_000, '| 10,000 | {} ms | {} ms |', '| 10 000 | {} мс | {} мс |'),
	storeRow(50_000, '| 50,000 | {} ms | {} ms |', '| 50 000 | {} мс | {} мс |'),
	storeRow(100_000, '| 100,000 | {} ms | {} ms |', '| 100 000 | {} мс | {} мс |'),
	{
		page: 'interrupted',
		figures: () => [median(recordOf('together', 'people'))],
		contradicted: () => nobodyIn('together'),
		en:
			'**The same {} recipients, two executions started together,** without a limit and at 20 messages per second: nobody got ' +
			'the message twice, everybody got it, and nobody is in doubt.',
		ru:
			'**Одни и те же {} получателей, два выполнения запущены одновременно,** без ограничения темпа и при 20 сообщениях в ' +
			'секунду: никто не получил сообщение дважды, получили все, под вопросом нет никого.',
	},
	{
		page: 'interrupted',
		figures: () => [median(recordOf('orders', 'orders')), median(recordOf('orders', 'skipped'))],
		contradicted: () => nobodyIn('orders'),
		en:
			'**{} orders, each in a separate execution, all started together:** everybody got the message once. When all are started ' +
			'again, all {} are skipped, and nobody is in doubt.',
		ru:
			'**{} заказов, каждый в своём выполнении, все запущены одновременно:** все получили сообщение по одному разу. Когда все ' +
			'запущены ещё раз, все {} пропущены, под вопросом нет никого.',
	},
	{
		page: 'interrupted',
		figures: () => [
			median(resultOf('oncePaced', sendOncePer, 'wallRatio'), 2),
			median(resultOf('once: 10000', sendOncePer, 'wallMs'), 0, 1000),
			median(resultOf('once: 10000', ours, 'wallMs'), 0, 1000),
		],
		en:
			'150 messages at the default pace take {} times as long as without the option. If no limit is set, ' +
			"n8n's store is the limit: 10,000 messages take {} seconds instead of {}.",
		ru:
			'150 сообщений при обычном темпе занимают в {} раза больше времени, чем без этого поля. Без ограничения темпа ' +
			'скорость определяет хранилище n8n: 10 000 сообщений занимают {} секунд вместо {}.',
	},
];

/** The page of a statement in a language. */
export const fileOf = ({ page }: Pick<Statement, 'page'>, language: Language): string => {
	if (language === 'ru') return `docs/ru/${page}.md`;
	return page === 'README' ? 'README.md' : `docs/${page}.md`;
};

/** Thousands as in the documents: 10,000, and 10 000 from five digits on. */
function written({ value, digits }: Figure, language: Language): string {
	const [whole, fraction] = value.toFixed(digits).split('.') as [string, string | undefined];
	const separator = { en: ',', ru: whole.length > 4 ? ' ' : '' }[language];
	const grouped = whole.replace(/\B(?=(\d{3})+$)/g, separator);
	return fraction === undefined ? grouped : `${grouped}${language === 'en' ? '.' : ','}${fraction}`;
}

/** The figures of a statement as text; undefined before they are measured. */
function figuresOf(statement: Statement, language: Language): string[] | undefined {
	try {
		return statement.figures().map((figure) => written(figure, language));
	} catch (error) {
		if (error instanceof NotMeasured) return undefined;
		throw error;
	}
}

/** The words that the page must contain; before the measurement, a pattern that matches any figures. */
export function sentenceOf(statement: Statement, language: Language): string | RegExp {
	const figures = figuresOf(statement, language);
	return figures
		? statement[language].replace(/\{\}/g, () => figures.shift()!)
		: patternOf(statement, language);
}

/** Finds a statement in the text of a page with any figures. */
export function patternOf(statement: Statement, language: Language): RegExp {
	const words = statement[language]
		.split('{}')
		.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\s+/g, '\\s+'));
	return new RegExp(words.join('(\\d(?:[\\d\\s.,–]*\\d)?)'), 'd');
}

/** Writes the figures into the documents. @returns statements that are missing on their page */
export function writeFigures(): string[] {
	const missing: string[] = [];
	for (const statement of statements) {
		for (const language of ['en', 'ru'] as const) {
			const file = join(projectFolder, fileOf(statement, language));
			const text = readFileSync(file, 'utf8');
			const found = patternOf(statement, language).exec(text);
			if (!found) {
				missing.push(`${fileOf(statement, language)}: ${statement[language]}`);
				continue;
			}
			const figures = figuresOf(statement, language);
			const places = found.indices!.slice(1) as Array<[number, number]>;
			const changed = places.reduceRight(
				(page, [from, to], index) => `${page.slice(0, from)}${figures?.[index]}${page.slice(to)}`,
				text,
			);
			if (figures && changed !== text) writeFileSync(file, changed);
		}
	}
	return missing;
}
