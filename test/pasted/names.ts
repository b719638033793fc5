import * as kinds from '../../nodes/ChatbotService/resources/kinds';
import { refuses, saidOf, takes, takesAsIs, texts, type Pasted } from './table';

/*
 * Names as spreadsheets, databases and programs write them: lists that have become texts, and words for nothing. Usernames and emails,
 * with what people write around them.
 */

const structure = saidOf(kinds.trimmedName, '{}');
const nothing = saidOf(kinds.trimmedName, 'null');
const noUsername = saidOf(kinds.username, 'Анна');
const noEmail = saidOf(kinds.emailAddress, 'нет');
const severalNames = saidOf(kinds.trimmedName, ['VIP', 'Новый']);

/** Each of them means these two tags, in any field that takes several. */
const vipAndNew: unknown[] = [
	...texts(`["VIP","Новый"] | "VIP, Новый" | 'VIP, Новый' | "VIP","Новый" | "VIP"; "Новый" | 'VIP','Новый'`),
	...['["VIP", "Новый"]\n', 'VIP; Новый', 'VIP;Новый', ' VIP \nНовый', ['VIP', 'Новый'], '“VIP, Новый”'],
];

const email = 'anna@example.com';

const anyName = 'name tags username';

export const names: Pasted[] = [
	...takes('tags', ['VIP', 'Новый'], ...vipAndNew, '["VIP","","Новый"]', 'VIP,;Новый;', ' VIP ,\nНовый\n'),
	...takes('tags', ['VIP'], '["VIP"]', '"VIP"', "'VIP'", 'VIP;', ['"VIP"'], ['VIP', '[]']),
	...takes('tags', ['Скидка 1,5 %'], '["Скидка 1,5 %"]', ['Скидка 1,5 %']),
	...texts(`Класс «А» | VIP "Gold" | "Ё" класс | [VIP] | О'Нил | Null | нет`).flatMap((tag) =>
		takes('tags', [tag], tag),
	),
	...takes('tags', ['VIP', '5'], ['VIP', 5, ' ']),
	...takes('tags', undefined, '[]', '[ ]', '""', ' , ; ', [], [null, '']),
	...takes('name', 'VIP', '["VIP"]', '"VIP"', "'VIP'", '["VIP"]\n', ['VIP']),
	...takes('name', 'VIP 2', 'VIP\u00a02', 'VIP\u202f2'),
	...takesAsIs('name', `VIP "Gold" | "Ё" класс | [VIP] Новый | О'Нил | VIP; Новый | VIP, Новый | «VIP»`),
	...takesAsIs('name', 'Мария Null | Null | Нан | #1 | Кто там??? | N/A клуб'),
	...refuses('name username', severalNames, '["VIP","Новый"]', ['VIP', 'Новый']),
	...refuses(anyName, structure, `{} | {"name":"VIP"} | [{"name":"VIP"}] | ['VIP','Новый'] | ["VIP","Новый"`),
	...refuses(anyName, structure, '[["VIP"]]', '["VIP",null]', 'a:1:{i:0;s:3:"VIP";}'),
	...refuses(anyName, nothing, 'null | undefined | NULL | NaN | ? | ???? ????????', ' #ССЫЛКА!\n'),
	...refuses(anyName, nothing, 'N/A | #N/A | #SPILL! | #REF! | #VALUE! | #NAME? | #DIV/0! | #NULL! | #NUM!'),
	...refuses(anyName, nothing, '#ERROR! | #Н/Д | #ССЫЛКА! | #ЗНАЧ! | #ИМЯ? | #ДЕЛ/0! | #ПУСТО! | #ЧИСЛО!'),
	...takes('username', undefined, '@', 'https://t.me/'),
	...takes('username', 'polina', '@polina | t.me/polina | https://telegram.me/polina | HTTP://T.ME/polina'),
	...takes('username', 'polina', 't.me/@polina | https://www.t.me/polina?start=1 | "polina"', ['@polina']),
	...takes('username', 'polina', 'tg://resolve?domain=polina&start=1'),
	...refuses('username', noUsername, 'Анна Соколова | VIP Gold | ann | anna@example.com | t.me/анна'),
	...refuses('username', noUsername, 'https://t.me/+79161234567'),
	...takesAsIs('email', 'anna@example.com | Anna.Sokolova+n8n@EXAMPLE.com | анна@почта.рф | a@b'),
	...takes('email', email, `Анна <${email}> | "Соколова, Анна" <${email}>; | mailto:${email}?subject=hi`),
	...takes('email', email, `${email}; | [${email}](mailto:${email}) | '${email} | ${email}.`, [email]),
	...takes('email', email, ` ${email}\n`, `\u200b${email}`),
	...refuses('email', noEmail, 'нет | - | none@ | @a.ru | anna | anna@@a.ru | anna@a@ru | +79161234567'),
	...refuses('email', noEmail, `${email}, boris@a.ru | ${email} boris@a.ru | anna sokolova@a.ru`),
	...refuses('email', nothing, 'null', 'undefined', '#Н/Д'),
	...refuses('email', structure, '{"email":"anna@example.com"}'),
	...refuses('email', severalNames, [email, 'boris@example.com']),
	...refuses('email', saidOf(kinds.trimmedName, '{{ $json.email }}'), '{{ $json.email }}'),
];
