import * as kinds from '../kinds';
import type { Field, FieldReader, SendingHours } from '../operation';
import { sameTimes } from '../problems';

/* 'Sending Hours': the hours of the day in which messages may leave, by the clock of the workflow or of the recipient. */

const time: Pick<Field, 'type' | 'placeholder' | 'required' | 'kind'> = {
	type: 'string',
	placeholder: 'e.g. 09:00',
	required: true,
	kind: kinds.timeOfDay,
};

const from: Field = {
	displayName: 'From',
	name: 'from',
	...time,
	default: '09:00',
	description: 'Time of the day from which messages may leave',
};

const until: Field = {
	displayName: 'Until',
	name: 'until',
	...time,
	default: '21:00',
	description:
		"Time of the day from which no message leaves. If it is before 'From', the hours last over midnight.",
};

/** Each item has its own. An empty expression would move its message into the night. */
export const timeZone: Field = {
	displayName: 'Time Zone',
	name: 'timeZone',
	type: 'string',
	default: '',
	placeholder: 'e.g. Asia/Vladivostok',
	description:
		'Time zone of the recipient: its name, or the hours from UTC such as +10 or from Moscow such as MSK+7. An expression can give each item its own.',
	hint: 'Leave empty for the time zone of the workflow: America/New_York, unless its settings or your n8n say otherwise',
	adviceIfEmpty: 'For the time zone of the workflow, leave the field empty, without an expression.',
	kind: kinds.timeZone,
	narrows: true,
};

export const sendingHours: Field = {
	displayName: 'Sending Hours',
	name: 'sendingHours',
	type: 'fixedCollection',
	typeOptions: { multipleValues: false },
	default: { values: { from: from.default, until: until.default, timeZone: timeZone.default } },
	description:
		"Sends messages only in these hours. The next run with the same value of 'Send Once Per' sends the rest.",
	builderHint: {
		propertyHint:
			'Only for broadcasts that a Schedule Trigger starts every day, or every hour if recipients live in several time zones. Outside the hours, messages are not sent, and nothing sends them later by itself. For a message after an event, let a Wait node wait until the hours.',
	},
	options: [{ displayName: 'Values', name: 'values', values: [from, until, timeZone] }],
};

/** The hours that the user has set; undefined if they are wrong. */
export function hoursOf(values: FieldReader): SendingHours | undefined {
	const hours = { from: values.read(from, 'needed'), until: values.read(until, 'needed') };
	if (hours.from === undefined || hours.until === undefined) return undefined;
	if (hours.from === hours.until) values.problems.push(sameTimes(sendingHours.displayName, hours.from));
	return hours as SendingHours;
}
