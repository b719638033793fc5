import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';

import { listItemGetAll } from '../../nodes/ChatbotService/resources/listItem/getAll';
import { listSchemaGetAll } from '../../nodes/ChatbotService/resources/listSchema/getAll';
import type { Operation } from '../../nodes/ChatbotService/resources/operation';
import type { Observation } from './call';
import { slugs, type OwnList } from './ownList';
import { linksOf, said, totalOf } from './remarks';

/* How the service filters, orders and pages the items of a list. All of it only reads. */

/** The node sends filters in both places. */
const inBodyAlone: Operation = { ...listItemGetAll, alsoInQuery: undefined } as Operation;
const inQueryAlone = ({ body }: IHttpRequestOptions) => delete (body as IDataObject).filters;
/** So that the service decides how many items a page has. */
const unlimited: Operation = { ...listItemGetAll, pageSize: undefined } as Operation;

/** @returns whether filters work */
export async function findItems(list: OwnList): Promise<boolean> {
	const canFilter = await filter(list);
	await order(list);
	await turnPages(list);
	await askForBot(list);
	return canFilter;
}

/** @returns whether filters work in any place */
async function filter({ writer, schema_id, first, second, items }: OwnList): Promise<boolean> {
	const { session } = writer;
	const ask = async (
		title: string,
		filters: IDataObject,
		operation = listItemGetAll,
		alter?: (options: IHttpRequestOptions) => void,
	) => await writer.read(title, operation, { schema_id, filters }, { most: 100, ...(alter && { alter }) });
	/** What a filter for one item has done. */
	const does = ({ failure, status, rows }: Observation, wanted = second) => {
		if (failure) return `refused with ${status}`;
		const isThere = rows.some(({ id }) => id === wanted.id);
		if (isThere)
			return rows.length === 1 ? 'works' : rows.length === items.length ? 'ignored' : 'finds others too';
		return rows.length ? 'finds others' : 'finds nothing';
	};
	const byText = { [slugs.text]: second[slugs.text] };

	const body = does(await ask('A filter in the body alone', byText, inBodyAlone));
	const query = does(await ask('A filter in the address alone', byText, undefined, inQueryAlone));
	const here = `in the body alone: ${body}; in the address alone: ${query}`;
	session.found('filterInBody', body === 'works', here);
	session.found('filterInQuery', body !== 'works' && query === 'works', here);
	session.notes.push(`Filters of getListItems, ${here}.`);
	if (body === 'works') {
		const other = (options: IHttpRequestOptions) => {
			options.qs = { ...options.qs, [`filters[${slugs.text}]`]: first[slugs.text] };
		};
		const both = await ask('One filter in the body, another one in the address', byText, inBodyAlone, other);
		session.found('filterInBoth', does(both) === 'works', ['the body counts', 'the query matters']);
	}
	if (body !== 'works' && query !== 'works') {
		session.found('filtersAll', false, here);
		return false;
	}

	const contrary = await ask('Two filters that no item matches', {
		...byText,
		[slugs.number]: first[slugs.number],
	});
	session.found(
		'filtersAll',
		does(contrary) === 'finds nothing',
		`two filters that no item matches: ${contrary.rows.length ? 'items come' : does(contrary)}`,
	);
	const asText = does(
		await ask('A filter by a number as text', { [slugs.number]: String(second[slugs.number]) }),
	);
	session.found('filterNumber', asText === 'works', asText);
	const unknown = does(await ask('A filter by a field of no list', { [slugs.other]: 'x' }));
	session.found('filterUnknown', unknown === 'ignored', unknown);
	return true;
}

async function order({ read, items, writer: { session } }: OwnList): Promise<void> {
	const byNumber = [...items].sort((one, other) => Number(one[slugs.number]) - Number(other[slugs.number]));
	const isOrder = ({ rows }: Observation, wanted: IDataObject[]) =>
		rows.length === wanted.length && rows.every(({ id }, index) => id === wanted[index]!.id);
	const [rising, falling] = [
		await read('Items, ordered by a number', { order_by: `${slugs.number},asc` }),
		await read('Items, ordered the other way', { order_by: `${slugs.number},desc` }),
	];
	const works = [isOrder(rising, byNumber), isOrder(falling, byNumber.toReversed())];
	session.found(
		'ordered',
		works.every(Boolean),
		works.every(Boolean)
			? 'both directions work'
			: works.some(Boolean)
				? 'one direction works'
				: 'no direction works',
	);
	const [usual, unknown] = [
		await read('Items without an order'),
		await read('Items, ordered by a field of no list', { order_by: slugs.other }),
	];
	const isUsual = isOrder(usual, items) && isOrder(unknown, items);
	const here = unknown.failure
		? `an unknown field is refused with ${unknown.status}`
		: isUsual
			? 'they do'
			: 'another order';
	session.found('unordered', isUsual, here);
}

async function turnPages({ writer, schema_id }: OwnList): Promise<void> {
	const { session } = writer;
	const sizeIn = ({ said: answer }: Observation) => {
		const size = (answer?.meta as IDataObject | undefined)?.per_page;
		return typeof size === 'number' ? size : undefined;
	};
	const usual = await writer.read('Items without `limit`', unlimited, { schema_id }, { most: 1 });
	const size = sizeIn(usual);
	session.notes.push(
		`Without \`limit\`, a page of getListItems has ${size ?? 'an unknown number of'} items.`,
	);
	if (!usual.failure) {
		session.found('itemPages', usual.hasPages, ['it has', 'there is no `meta`']);
		session.found('itemLinks', ...linksOf(usual, session.credential.token));
	}
	if (size !== undefined) {
		session.found('itemsOfWatbot', size === 10, String(size));
		session.found('itemsUsually', size === 50, String(size));
	}
	const wanted = 1000;
	const large = await writer.read(
		'Items with a large `limit`',
		unlimited,
		{ schema_id, limit: wanted },
		{ most: 1 },
	);
	const most = sizeIn(large);
	if (large.failure) session.found('limitReduced', false, said(large));
	else if (most !== undefined) {
		session.found('limitReduced', most < wanted, `of ${wanted}, ${most} apply`);
		session.found('mostItems', most <= 100, String(most));
		session.found('mostOfWatbot', most >= 500, String(most));
	}
	const beyond = await writer.read(
		'Items, a page beyond the last one',
		listItemGetAll,
		{ schema_id },
		{ most: 100, first: 9 },
	);
	const isEmpty = !beyond.failure && !beyond.rows.length;
	session.found(
		'itemsBeyond',
		isEmpty,
		beyond.failure ? said(beyond) : isEmpty ? 'empty' : 'items come again',
	);
}

async function askForBot({ writer, schema_id, botId: bot_id, isOfBot, items }: OwnList): Promise<void> {
	if (bot_id === undefined) return;
	const { session } = writer;
	const found = await writer.read(
		'Items, with the ID of a bot',
		listItemGetAll,
		{ schema_id, bot_id },
		{ most: 100 },
	);
	const { length } = found.rows;
	const here = found.failure
		? said(found)
		: length
			? length === items.length
				? 'all items come'
				: 'some items come'
			: 'no items come';
	session.found('itemsOfBot', !found.failure && !length, here);
	session.notes.push(
		`getListItems with \`bot_id\`, of a list ${isOfBot ? 'of that bot' : 'without a bot'}: ${here}.`,
	);
	const schemas = await writer.read('All lists', listSchemaGetAll, {}, { most: 1 });
	const ofBot = await writer.read(
		'All lists, with the ID of a bot',
		listSchemaGetAll,
		{ bot_id },
		{ most: 1 },
	);
	const [all, some] = [totalOf(schemas), totalOf(ofBot)];
	const effect = ofBot.failure
		? said(ofBot)
		: !ofBot.rows.length
			? 'no list comes'
			: all === undefined || some === undefined
				? 'not clear'
				: some < all
					? 'fewer lists come'
					: 'all lists come';
	session.notes.push(`getListSchemas with \`bot_id\`: ${effect}.`);
}
