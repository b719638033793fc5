import { findOperation } from '../../nodes/ChatbotService/resources';
import type { Operation } from '../../nodes/ChatbotService/resources/operation';
import type { Values } from '../../nodes/ChatbotService/run/reading';

/*
 * What each operation sends, written out from the interface and the labels of the editor, so that the
 * tests do not ask the code under test what it should do.
 */

export interface SampleField {
	/** Path of the parameter of the node; `fieldOptions.hidden` stands for what is chosen within `fieldOptions`. */
	path: string;
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

const must = (
	path: string,
	wire: string,
	label: string,
	given: unknown,
	sent: unknown = given,
): SampleField => ({ path, wire, label, given, sent, required: true });
const may = (...field: Parameters<typeof must>): SampleField => ({ ...must(...field), required: false });

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
		operation: findOperation(resource, operation)!,
		place,
		controls,
		fields,
		alternatives,
	};
}

const contactId = must('contactId', 'contact_id', 'Contact ID', '1048576', 1048576);
const botId = must('botId', 'bot_id', 'Bot ID', ' 2048 ', 2048);
const schemaId = must(
	'schemaId',
	'schema_id',
	'List',
	' 5dee4800c2cc5a38ec797235 ',
	'5dee4800c2cc5a38ec797235',
);
const tag = must('tagName', 'name', 'Tag', 'Клиент');
const variable = must('variableName', 'name', 'Variable', 'Город');
const city = { name: 'Город', slug: 'city', type: 'string' };
const paid = { name: 'Оплачено', slug: 'paid', type: 'boolean', is_required: true, is_hidden: false };

const contents = [
	may('text', 'text', 'Text', 'Здравствуйте!'),
	may(
		'imageUrl',
		'image',
		'Image URL',
		' https://example.com/кот.png ',
		'https://example.com/%D0%BA%D0%BE%D1%82.png',
	),
	may(
		'fileUrl',
		'file',
		'File URL',
		'https://example.com/прайс.pdf',
		'https://example.com/%D0%BF%D1%80%D0%B0%D0%B9%D1%81.pdf',
	),
];
const contentLabels = ['Text', 'Image URL', 'File URL'];
const allContents = ['text', 'image', 'file'];

export const samples: Sample[] = [
	sample('tag/getManyByBot', 'getBotTags', 'query', [botId], { returnAll: true }),
	sample('tag/getManyByContact', 'getContactTags', 'query', [contactId], { returnAll: true }),
	sample('tag/attach', 'attachTagToContact', 'body', [contactId, tag]),
	sample('tag/detach', 'detachTagFromContact', 'body', [contactId, tag]),
	sample('contactVariable/getAll', 'getContactVariables', 'query', [contactId], { returnAll: true }),
	sample('contactVariable/upsert', 'setContactVariable', 'query', [
		contactId,
		variable,
		must('variableValue', 'value', 'Value', 42, '42'),
		may('deletable', 'deletable', 'Remove After Request', true, 1),
	]),
	sample('contactVariable/delete by name', 'deleteContactVariable', 'query', [contactId, variable], {
		deleteBy: 'name',
	}),
	sample(
		'contactVariable/delete by ID',
		'deleteContactVariable',
		'query',
		[contactId, must('variableId', 'id', 'Variable', '9001', 9001)],
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
			must('messenger', 'messenger', 'Messenger', 'Telegram', 'telegram'),
			botId,
			must(
				'externalId',
				'contact_external_id',
				'Phone Number or Messenger ID',
				' 79161234567 ',
				'79161234567',
			),
			...contents,
		],
		{ recipient: 'externalId', content: allContents },
		contentLabels,
	),
	sample('message/sendToWhatsApp', 'sendMessageToWhatsApp', 'body', [
		botId,
		must('phone', 'phone', 'Phone Number', 79161234567, '79161234567'),
		must('text', 'text', 'Text', 'Здравствуйте!'),
		may('contactName', 'name', 'Contact Name', 'Анна'),
	]),
	sample('listSchema/getAll', 'getListSchemas', 'query', [], { returnAll: true }),
	sample('listSchema/get', 'getListSchema', 'query', [schemaId]),
	sample(
		'listSchema/create with defined fields',
		'createListSchema',
		'body',
		[
			must('listName', 'name', 'List Name', 'Заказы'),
			may('showInMenu', 'is_menu', 'Show in Menu', 'true', true),
			may('botId', 'bot_id', 'Bot ID', 2048),
			may('fields', 'fields', 'Fields', { field: [city, paid] }, { city, paid }),
		],
		{ fieldsInput: 'define' },
	),
	sample(
		'listSchema/create with fields as JSON',
		'createListSchema',
		'body',
		[
			must('listName', 'name', 'List Name', 'Заказы'),
			may('showInMenu', 'is_menu', 'Show in Menu', false),
			may('botId', 'bot_id', 'Bot ID', 2048),
			must('fieldsJson', 'fields', 'Fields (JSON)', JSON.stringify([city, paid]), { city, paid }),
		],
		{ fieldsInput: 'json' },
	),
	sample('listSchema/addField', 'addListSchemaField', 'body', [
		schemaId,
		must('fieldName', 'field.name', 'Field Name', ' Город ', 'Город'),
		must('newFieldSlug', 'field.slug', 'Field Slug', ' city ', 'city'),
		must('fieldType', 'field.type', 'Field Type', 'bool', 'boolean'),
		may('fieldOptions.encrypted', 'field.is_encryptable', 'Encrypted', 0, false),
		may('fieldOptions.hidden', 'field.is_hidden', 'Hidden', 'false', false),
		may('fieldOptions.required', 'field.is_required', 'Required', true),
	]),
	sample('listSchema/deleteField', 'deleteListSchemaField', 'body', [
		schemaId,
		must('fieldSlug', 'slug', 'Field', ' city ', 'city'),
	]),
	sample('listSchema/delete', 'deleteListSchema', 'body', [schemaId]),
];

/** Values of the sample's parameters by their paths, with some of them changed. */
export const valuesOf = (
	{ controls, fields }: Sample,
	changes: Record<string, unknown> = {},
): Record<string, unknown> => ({
	...controls,
	...Object.fromEntries(fields.map(({ path, given: value }) => [path, value])),
	...changes,
});

/** The same as a check asks for them. */
export function given(sample: Sample, changes: Record<string, unknown> = {}): Values {
	const values = valuesOf(sample, changes);
	return (path) => values[path];
}

export const byTitle = samples.map((each): [string, Sample] => [each.title, each]);
