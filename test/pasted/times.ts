import * as kinds from '../../nodes/ChatbotService/resources/kinds';
import { refusedAs, saidOf, texts, type PastedInto } from './table';

/*
 * Dates and times are those of the workflow's time zone (here Moscow's), as a person means them, or refused. JavaScript would guess: it
 * takes the month first, moves 30 February to March, ignores words, and uses the time zone of the server.
 */

/** As a person writes them, or a program that leaves out the zeros. */
const times = [
	['2023-03-25 10:00', '2023-03-25T07:00:00Z'],
	['2023-03-25 9:05', '2023-03-25T06:05:00Z'],
	['2023-03-25T9:05', '2023-03-25T06:05:00Z'],
	['2023-03-25  9:05:07', '2023-03-25T06:05:07Z'],
	['2023/3/5 9:05', '2023-03-05T06:05:00Z'],
	['2023.03.25 18:00', '2023-03-25T15:00:00Z'],
	['20230325T1000', '2023-03-25T07:00:00Z'],
	['2023-03-25 10:00:00 Europe/Berlin', '2023-03-25T09:00:00Z'],
	['2023-03-25T10:00:00+05:00', '2023-03-25T05:00:00Z'],
	['Sat, 25 Mar 2023 10:00:00 GMT', '2023-03-25T10:00:00Z'],
	['25 Mar 2023 10:00 +0300', '2023-03-25T07:00:00Z'],
].map(([written, inUtc]): [string, number] => [written!, Date.parse(inUtc!) / 1000]);

const noTimes = refusedAs(
	saidOf(kinds.unixTime, 'a'),
	texts(`
		05.03.2023 | до 05.03.2023 | Вт, 05.03.2023 | from 05.03.2023 | 03/25/2023 | 5 3 2023 | 5,3,2023
		VIP 3 | Room 12 | A-12 | March 11 | завтра | now | 2023-02-29 | 2023-02-30 | 2023-04-31 | 2023-13-01
		23-03-25 | 2023 03 25 | 25 Mar 2023 | 2023-03-25 9 | 2023-03-25 10:00 AM | 2023-03-25. | 1679731200
	`),
);

export const intoTimes = ['filters.createdAfter', 'filters.createdBefore'].map(
	(field): [string, string, PastedInto['taken'], PastedInto['refused']] => [
		...(['contact/getAll', field, times, noTimes] as const),
	],
);
