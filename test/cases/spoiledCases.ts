import { goodsColumns } from '../operations/fields';
import { VALUE, type Refused } from './refused';

/*
 * Texts that nobody means to send: what code writes for an object, a date or a function, and what is left of a table that was read in
 * another encoding than it has. Excel in Russia saves CSV in Windows-1251, and n8n reads UTF-8.
 */

export const byName = (value: string) => ({ __rl: true, mode: 'name', value });

/** A field of each kind that takes texts, names or values, and how it gets one. */
export const textFields: Array<[operation: string, label: string, changes: (value: string) => object]> = [
	['message/send', 'Text', (text) => ({ text, content: ['text'] })],
	['message/sendToWhatsApp', 'Text', (text) => ({ text })],
	['message/sendAndWait', 'Message', (message) => ({ message })],
	['message/sendAndWait', 'Response Form Title', (title) => ({ options: { responseFormTitle: title } })],
	['contact/upsert', 'Contact Name', (contactName) => ({ contactName })],
	['contact/upsert', 'Tags', (tags) => ({ additionalFields: { tags } })],
	['contact/getAll', 'Name', (name) => ({ filters: { name } })],
	['contactVariable/upsert', 'Variable', (name) => ({ variableName: byName(name) })],
	['contactVariable/upsert', 'Value', (variableValue) => ({ variableValue })],
	['tag/attach', 'Tag', (tag) => ({ tagName: byName(tag) })],
	['listItem/create', 'Название (title)', (title) => ({ columns: goodsColumns({ title }) })],
	['listItem/update', 'photos', (photos) => ({ columns: { ...goodsColumns({ photos }), schema: [] } })],
	['listSchema/create', 'List Name', (listName) => ({ listName })],
];

/** What only code writes by mistake. People can mean it. */
export const writtenByCode: Array<[says: string, words: string[]]> = [
	['contains a date', ['Если видите «Invalid Date», обновите страницу', 'Invalid DateTime']],
	['contains an object', ['[object Object]']],
];

const utf8 = (text: string) => Buffer.from(text, 'utf8');
const utf16 = (text: string) => Buffer.from(text, 'utf16le');
const inWindows1251 = (text: string) => {
	const codes = [...text].map((letter) => letter.charCodeAt(0));
	return Buffer.from(codes.map((code) => (code < 128 ? code : code - 0x350)));
};
const asWindows1251 = (text: string) => new TextDecoder('windows-1251').decode(utf8(text));

/** By the encoding that a text has, and the one as which it was read. */
const misread = [
	// Windows-1251 as UTF-8, also a word of two letters.
	...[inWindows1251('Анна').toString('utf8'), `Ok: ${inWindows1251('да').toString('utf8')}`],
	// UTF-16 as UTF-8, in both orders of bytes, and as Latin-1.
	...[utf16('\ufeffAnna').toString('utf8'), utf16('Анна').toString('utf8')],
	...[utf16('Анна').swap16().toString('utf8'), utf16('Anna').toString('latin1')],
	// UTF-8 as Latin-1 and as Windows-1252: names, words of one letter, emoji, quotation marks.
	...[utf8('Анна').toString('latin1'), utf8('я и').toString('latin1'), utf8('Sale 🎁').toString('latin1')],
	...[utf8('“Rose”').toString('latin1'), 'ÐŸÑ€Ð¸Ð²ÐµÑ‚', 'Sale ðŸŽ\u0081', 'â€œRoseâ€\u009d'],
	// UTF-8 as Windows-1251.
	...[asWindows1251('Юра'), asWindows1251('Rose — 5')],
	// Windows-1251 as Latin-1 and as Windows-1252, KOI8-R and CP866 as Windows-1251.
	...['Здравствуйте, Àííà!', 'Ï¸òð Ñîêîëîâ', 'ъДТБЧУФЧХКФЕ, бООБ!', 'Здравствуйте, йЧБО!'],
	...['‡¤а ўбвўг©вҐ', '‘®Є®«®ў\u00a0'],
];

const isMisread = 'holds characters that were lost when a file was read';

/** All fields have the same checks, so each but the first meets a few values of each kind. */
const inFields = [
	...[...writtenByCode, [isMisread, misread] as [string, string[]]],
	['holds an expression that n8n has not evaluated', ['{{ $json.name }}']] as [string, string[]],
].flatMap(([says, values]) =>
	textFields.flatMap(([operation, label, changes], place): Refused[] => {
		const isMet = (each: number) => !place || each % textFields.length === place % values.length;
		const met = values.filter((_, each) => isMet(each));
		const codes = [VALUE, '=Анна, {{ $json.value }}', "={{ 'Анна, ' + $json.value }}"];
		return codes
			.filter((_, each) => !place || each === place % codes.length)
			.map((code) => [operation, changes(code), met, `'${label}' ${says}`]);
	}),
);

const text = (code: string) => ({ text: code });
const photos = { columns: { ...goodsColumns({ photos: VALUE }), schema: [] } };
const noNames = ['[]', '""'];
const long = { id: 7615917337495251000, none: undefined };
const fieldsJson = [{ name: misread[0], slug: 'city', type: 'string', is_required: false }];

export const spoiledCases: Refused[] = [
	...inFields,
	// As the fixed text of a field, too.
	['message/send', text, ['{{ $json.name }}', misread[0]!], "'Text' holds"],
	['tag/attach', (name) => ({ tagName: byName(name) }), ['{{ $json.name }}'], "'Tag' holds an expression"],
	['message/send', text("={{ DateTime.fromISO('вчера') }} жду вас"), [5], "'Text' contains a date"],
	['message/send', text('=Ваш адрес: {{ $json.value }}'), [{ city: 'Казань' }], "'Text' contains an object"],
	['listItem/update', photos, [['Роза', { name: misread[0] }]], `'photos.1.name' ${isMisread}`],
	['listSchema/create', { fieldsInput: 'json', fieldsJson: JSON.stringify(fieldsJson) }, [5], isMisread],
	// A number that has lost digits. A blank behind the braces makes a text of it, which shows only for a path into the item.
	['message/send', { contactId: VALUE }, [7615917337495251000], "'Contact ID' holds a number that n8n has"],
	['message/send', text('={{ $json.value.id }} '), [long], "'Text' holds a number that n8n has rounded"],
	// Empty lists as texts. Texts that are no name: pasted/names.ts.
	['contactVariable/upsert', { variableName: byName(VALUE) }, noNames, "'Variable' is empty"],
	['tag/attach', { tagName: byName(VALUE) }, noNames, "'Tag' is empty"],
];
