import type { GivenValues } from '../../nodes/ChatbotService/request/check';
import { findOperation } from '../../nodes/ChatbotService/resources';
import type { Operation } from '../../nodes/ChatbotService/shared/operation';

/*
 * What each operation sends, written out from the interface (section 4) and the labels of the editor, so that the
 * tests do not ask the code under test what it should do.
 */

export interface SampleField {
	/** Name in the interface; `field.slug` stands for the slug within `field`. */
	wire: string;
	label: string;
	/** As an item's data may hold it. */
	given: unknown;
	/** As the interface wants it. */
	sent: unknown;
	required: boolean;
}

export interface Sample {
	title: string;
	endpoint: string;
	operation: Operation;
	place: 'query' | 'body';
	/** Values of the parameters that decide which fields apply. */
	controls: Record<string, unknown>;
	fields: SampleField[];
	/** Labels of which one at least must have a value. */
	alternatives: string[];
}

const must = (wire: string, label: string, given: unknown, sent: unknown = given): SampleField => ({
	wire,
	label,
	given,
	sent,
	required: true,
});
const may = (wire: string, label: string, given: unknown, sent: unknown = given): SampleField => ({
	...must(wire, label, given, sent),
	required: false,
});

function sample(
	title: string,
	endpoint: string,
	place: 'query' | 'body',
	fields: SampleField[],
	controls: Record<string, unknown> = {},
	alternatives: string[] = [],
): Sample {
	const [resource, operation] = title.split(' ')[0]!.split('/') as [string, string];
	return {
		title,
		endpoint,
		operation: findOperation(resource, operation),
		place,
		controls,
		fields,
		alternatives,
	};
}

const contactId = must('contact_id', 'Contact ID', '1048576', 1048576);
const botId = must('bot_id', 'Bot ID', ' 2048 ', 2048);
const schemaId = must('schema_id', 'List', ' 5dee4800c2cc5a38ec797235 ', '5dee4800c2cc5a38ec797235');
const city = { name: 'Город', slug: 'city', type: 'string' };
const paid = { name: 'Оплачено', slug: 'paid', type: 'boolean', is_required: true, is_hidden: false };

const contents = [
	may('text', 'Text', 'Здравствуйте!'),
	may('image', 'Image URL', ' https://example.com/кот.png ', 'https://example.com/кот.png'),
	may('file', 'File URL', 'https://example.com/прайс.pdf'),
];
const contentLabels = ['Text', 'Image URL', 'File URL'];
const allContents = ['text', 'image', 'file'];

export const samples: Sample[] = [
	sample('tag/getManyByBot', 'getBotTags', 'query', [botId], { returnAll: true }),
	sample('tag/getManyByContact', 'getContactTags', 'query', [contactId], { returnAll: true }),
	sample('tag/attach', 'attachTagToContact', 'body', [contactId, must('name', 'Tag', 'Клиент')]),
	sample('tag/detach', 'detachTagFromContact', 'body', [contactId, must('name', 'Tag', 'Клиент')]),
	sample('contactVariable/getAll', 'getContactVariables', 'query', [contactId], { returnAll: true }),
	sample('contactVariable/upsert', 'setContactVariable', 'query', [
		contactId,
		must('name', 'Variable', 'Город'),
		must('value', 'Value', 42, '42'),
		may('deletable', 'Remove After Request', true, 1),
	]),
	sample(
		'contactVariable/delete by name',
		'deleteContactVariable',
		'query',
		[contactId, must('name', 'Variable', 'Город')],
		{ deleteBy: 'name' },
	),
	sample(
		'contactVariable/delete by ID',
		'deleteContactVariable',
		'query',
		[contactId, must('id', 'Variable', '9001', 9001)],
		{ deleteBy: 'id' },
	),
	sample(
		'message/send to a contact',
		'sendMessage',
		'query',
		[contactId, ...contents],
		{ recipient: 'contact', content: allContents },
		contentLabels,
	),
	sample(
		'message/send to an external ID',
		'sendMessage',
		'query',
		[
			must('messenger', 'Messenger', 'Telegram', 'telegram'),
			botId,
			must('contact_external_id', 'Phone Number or Messenger ID', ' 79161234567 ', '79161234567'),
			...contents,
		],
		{ recipient: 'externalId', content: allContents },
		contentLabels,
	),
	sample('message/sendToWhatsApp', 'sendMessageToWhatsApp', 'body', [
		botId,
		must('phone', 'Phone Number', 79161234567, '79161234567'),
		must('text', 'Text', 'Здравствуйте!'),
		may('name', 'Contact Name', 'Анна'),
	]),
	sample('listSchema/getAll', 'getListSchemas', 'query', [], { returnAll: true }),
	sample('listSchema/get', 'getListSchema', 'query', [schemaId]),
	sample(
		'listSchema/create with defined fields',
		'createListSchema',
		'body',
		[
			must('name', 'List Name', 'Заказы'),
			may('is_menu', 'Show in Menu', 'true', true),
			may('bot_id', 'Bot ID', 2048),
			may('fields', 'Fields', { field: [city, paid] }, { city, paid }),
		],
		{ fieldsInput: 'define' },
	),
	sample(
		'listSchema/create with fields as JSON',
		'createListSchema',
		'body',
		[
			must('name', 'List Name', 'Заказы'),
			may('is_menu', 'Show in Menu', false),
			may('bot_id', 'Bot ID', 2048),
			must('fields', 'Fields (JSON)', JSON.stringify([city, paid]), { city, paid }),
		],
		{ fieldsInput: 'json' },
	),
	sample('listSchema/addField', 'addListSchemaField', 'body', [
		schemaId,
		must('field.name', 'Field Name', ' Город ', 'Город'),
		must('field.slug', 'Field Slug', ' city ', 'city'),
		must('field.type', 'Field Type', 'bool', 'boolean'),
		may('field.is_encryptable', 'Encrypted', 0, false),
		may('field.is_hidden', 'Hidden', 'false', false),
		may('field.is_required', 'Required', true),
	]),
	sample('listSchema/deleteField', 'deleteListSchemaField', 'body', [
		schemaId,
		must('slug', 'Field', ' city ', 'city'),
	]),
	sample('listSchema/delete', 'deleteListSchema', 'body', [schemaId]),
];

/** The sample's values as the engine hands them over, with some of them changed. */
export function given(
	{ controls, fields }: Sample,
	changes: Record<string, unknown> = {},
	otherControls: Record<string, unknown> = {},
): GivenValues {
	const values: Record<string, unknown> = {};
	for (const { wire, given: value } of fields) values[wire] = value;
	const all = { ...controls, ...otherControls };
	return {
		values: nested({ ...values, ...changes }),
		control: (parameter) => all[parameter],
	};
}

/** Values by their names in the interface, `field.slug` as the slug within `field`. */
export function nested(values: Record<string, unknown>): Record<string, unknown> {
	const result: Record<string, unknown> = {};
	for (const [wire, value] of Object.entries(values)) {
		const [parent, child] = wire.split('.') as [string, string | undefined];
		if (child === undefined) result[parent] = value;
		else result[parent] = { ...(result[parent] as object | undefined), [child]: value };
	}
	return result;
}

export const byTitle = samples.map((each): [string, Sample] => [each.title, each]);
