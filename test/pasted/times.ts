import * as kinds from '../../nodes/ChatbotService/resources/kinds';
import { refuses, saidOf, takes, type Pasted } from './table';

/*
 * Dates and times are those of the workflow's time zone (here Moscow's), as a person means them, or refused. JavaScript would guess: it
 * takes the month first, moves 30 February to March, ignores words, and uses the time zone of the server.
 */

const moments = 'moment date';
const noTime = saidOf(kinds.unixTime, 'a');

export const times: Pasted[] = [
	...[
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
	].flatMap(([written, inUtc]) => takes(moments, Date.parse(inUtc!) / 1000, written)),
	...refuses(moments, noTime, '05.03.2023 | до 05.03.2023 | Вт, 05.03.2023 | from 05.03.2023 | 03/25/2023'),
	...refuses(moments, noTime, '5 3 2023 | 5,3,2023 | VIP 3 | Room 12 | A-12 | March 11 | завтра | now'),
	...refuses(moments, noTime, '2023-02-29 | 2023-02-30 | 2023-04-31 | 2023-13-01 | 23-03-25 | 2023 03 25'),
	...refuses(moments, noTime, '25 Mar 2023 | 2023-03-25 9 | 2023-03-25 10:00 AM | 2023-03-25. | 1679731200'),
];
