/** The lists of the emulator at the start, and the items of three of them. */

import { SEEDED, addListItem, addListSchema, isoWithOffset, type Data, type FieldDefinition } from './data';

export function seedLists(data: Data) {
	const orders = {
		client: field('Клиент', 'contact', { is_required: true }),
		phone: field('Телефон', 'string', { is_encryptable: true }),
		amount: field('Сумма, ₽', 'number'),
		paid: field('Оплачено', 'bool'),
		source_bot: field('Бот', 'bot', { is_hidden: true }),
	};
	addListSchema(data, { name: 'Заявки', is_menu: true, fields: orders }, '2023-10-02T09:30:00+03:00');
	const reviews = {
		rating: field('Оценка', 'number', { is_required: true }),
		comment: field('Комментарий', 'string'),
	};
	addListSchema(data, { name: 'Отзывы', is_menu: false, fields: reviews }, '2023-10-05T14:05:00+03:00');
	addGenerated(data);
	Object.assign(data.listSchemas.get(SEEDED.schemas.goods)!.fields, {
		article: field('Артикул', 'string'),
		price: field('Цена, ₽', 'number'),
		stock: field('Остаток', 'number'),
		photo: field('Фото', 'image'),
	});
	seedItems(data);
}

function addGenerated(data: Data) {
	const themes = ['Расписание', 'Прайс-лист', 'Филиалы', 'Акции', 'Сотрудники', 'Товары'];
	const cities = `Москва Казань Самара Пермь Омск Уфа Тула Сочи Тверь Томск Курск Рязань Иркутск Барнаул
		Ижевск Саратов Воронеж Краснодар Ярославль Челябинск Новосибирск`.split(/\s+/);
	for (let index = 0; data.listSchemas.size < SEEDED.schemaCount; index++) {
		const name = `${themes[index % themes.length]}: ${cities[Math.floor(index / themes.length)]}`;
		const at = isoWithOffset(new Date(Date.UTC(2023, 10, 1, 7) + index * 26 * 3_600_000));
		const fields = {
			title: field('Название', 'string', { is_required: true }),
			active: field('Активно', 'bool'),
		};
		addListSchema(data, { name, is_menu: index % 5 === 0, fields }, at);
	}
}

function seedItems(data: Data) {
	const { schemas, contacts, bots } = SEEDED;
	const order = (at: string, client: number, values: object) =>
		addListItem(data, schemas.orders, { client, ...values }, at);
	const { school, flowers } = bots;
	order('2024-01-15T12:10:00+03:00', contacts.telegram, {
		phone: '79161234567',
		amount: 4500,
		paid: true,
		source_bot: school,
	});
	order('2024-02-20T18:45:30+03:00', contacts.whatsapp, {
		phone: '79035550101',
		amount: 12000,
		paid: false,
		source_bot: school,
	});
	order('2024-06-01T09:00:00+03:00', contacts.viber, {
		phone: '79264440303',
		amount: 3490,
		paid: true,
		source_bot: flowers,
	});
	// Without a phone number and an amount yet.
	order('2026-04-04T10:20:15+03:00', contacts.bare, { paid: false, source_bot: flowers });

	const review = (at: string, rating: number, comment?: string) =>
		addListItem(data, schemas.reviews, { rating, comment }, at);
	review('2024-03-01T20:15:00+03:00', 5, 'Занятия очень понравились, спасибо!');
	review('2024-03-05T11:30:00+03:00', 4, 'Хорошо, но хочется больше разговорной практики');
	review('2024-04-12T08:05:00+03:00', 2);

	const photo = (name: string) => ({ url: `https://cdn.example.com/${name}.jpg` });
	const good = (day: number, values: object) =>
		addListItem(data, schemas.goods, { active: true, ...values }, `2024-05-0${day}T10:00:00+03:00`);
	good(1, {
		title: 'Букет «Нежность»',
		article: '00417',
		price: 3490,
		stock: 7,
		photo: photo('buket-nezhnost'),
	});
	good(2, {
		title: 'Розы красные, 15 шт.',
		article: '00418',
		price: 1990.5,
		stock: 12,
		photo: photo('rozy-15'),
	});
	good(3, { title: 'Тюльпаны, 25 шт.', article: '00419', price: 2750, stock: 0 });
	good(4, {
		title: 'Корзина пионов',
		active: false,
		article: '00420',
		price: 6900,
		stock: 0,
		photo: photo('korzina-pionov'),
	});
	good(5, { title: 'Орхидея в горшке', article: '00421', price: 1590, stock: 3 });
}

function field(
	name: string,
	type: FieldDefinition['type'],
	flags: Partial<Pick<FieldDefinition, 'is_required' | 'is_hidden' | 'is_encryptable'>> = {},
): FieldDefinition {
	return { name, type, is_required: false, is_hidden: false, is_encryptable: false, ...flags };
}
