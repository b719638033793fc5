import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { severalOrders } from '../../nodes/ChatbotService/resources/listItem/problems';
import { SEEDED } from '../../sandbox/emulator';
import { labelOf } from '../operations/words';
import { credentialFor, runNode, useEmulator } from './harness';

/* List Item, Get Many: the order, as people copy it from the documents of the API and from databases. */

const service = useEmulator();

const read = async (itemOptions: INodeParameters) =>
	await runNode({
		parameters: {
			...{ resource: 'listItem', operation: 'getAll', returnAll: true, itemOptions },
			schemaId: { __rl: true, mode: 'id', value: SEEDED.schemas.goods },
		},
		credential: credentialFor(service),
	});

const asked = () => service.requests.map(({ body }) => (body as IDataObject | null)?.order_by);

test.each<[string, string | undefined, string]>([
	['created_at,desc', undefined, 'created_at,desc'],
	['created_at desc', undefined, 'created_at,desc'],
	['created_at:descending', undefined, 'created_at,desc'],
	['created_at, DESC', undefined, 'created_at,desc'],
	['created_at\tAsc', undefined, 'created_at,asc'],
	[' price ', undefined, 'price,asc'],
	['price', 'desc', 'price,desc'],
	// The direction beside the field is the one that was written last.
	['price asc', 'desc', 'price,asc'],
	['order_desc', undefined, 'order_desc,asc'],
])('%j with the direction %j is sent as %s', async (orderBy, orderByDirection, sent) => {
	const { fields } = service.data.listSchemas.get(SEEDED.schemas.goods)!;
	fields.order_desc = { ...fields.price! };
	const { error } = await read({ orderBy, ...(orderByDirection && { orderByDirection }) });
	expect([error, asked()]).toEqual([undefined, [sent]]);
});

test.each(['price,stock', 'price asc, stock desc', 'price,desc,stock', 'price,', ',desc', '-price'])(
	'%j is refused, because the service sorts by one field',
	async (orderBy) => {
		const { error } = await read({ orderBy });
		const { message, advice } = severalOrders(labelOf('listItem/getAll', 'itemOptions.orderBy'), orderBy);
		expect([error?.message, error?.description]).toEqual([`${message} [Item 0]`, advice]);
		expect(asked()).toEqual([]);
	},
);
