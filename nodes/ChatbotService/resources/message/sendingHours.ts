import * as kinds from '../kinds';
import type { Field, FieldReader, SendingHours } from '../operation';
import { sameTimes } from '../problems';

/* 'Sending Hours': the hours of the day in which messages may leave, by the clock of the workflow. */

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
	hint: "By the workflow's time zone (Settings). Unless your n8n has another one, it is America/New_York",
};

export const sendingHours: Field = {
	displayName: 'Sending Hours',
	name: 'sendingHours',
	type: 'fixedCollection',
	typeOptions: { multipleValues: false },
	default: { values: { from: from.default, until: until.default } },
	description:
		"Whether messages leave only in these hours. The next run with the same value of 'Send Once Per' sends the rest.",
	builderHint: {
		propertyHint:
			'Only for broadcasts that a Schedule Trigger starts every day. A run outside the hours fails, and nothing sends its messages later. For a message after an event, let a Wait node wait until the hours.',
	},
	options: [{ displayName: 'Values', name: 'values', values: [from, until] }],
};

/** The hours that the user has set; undefined if they are wrong. */
export function hoursOf(values: FieldReader): SendingHours | undefined {
	const hours = { from: values.read(from, 'needed'), until: values.read(until, 'needed') };
	if (hours.from === undefined || hours.until === undefined) return undefined;
	if (hours.from === hours.until) values.problems.push(sameTimes(sendingHours.displayName, hours.from));
	return hours as SendingHours;
}
