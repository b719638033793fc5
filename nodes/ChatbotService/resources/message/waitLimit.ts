import { numberIn } from '../../shared/values';
import type { Choice } from '../choices';
import { choiceOf } from '../fields';
import { problem } from '../kind';
import * as kinds from '../kinds';
import type { Field, FieldReader, Question } from '../operation';

/* 'Limit Wait Time', with the names and defaults of n8n's own nodes. */

const limitTypes: Choice[] = [
	{ name: 'After Time Interval', value: 'afterTimeInterval', description: 'After an amount of time' },
	{ name: 'At Specified Time', value: 'atSpecifiedTime', description: 'At a date and time' },
];

const limitType: Field = {
	displayName: 'Limit Type',
	name: 'limitType',
	...choiceOf(limitTypes),
	noDataExpression: true,
	default: 'afterTimeInterval',
	description: 'When the execution continues without an answer',
};

const afterInterval = { show: { limitType: ['afterTimeInterval'] } };

const resumeAmount: Field = {
	displayName: 'Amount',
	name: 'resumeAmount',
	type: 'number',
	typeOptions: { minValue: 0, numberPrecision: 2 },
	default: 1,
	description: 'How long to wait for the answer',
	displayOptions: afterInterval,
	kind: (value, label) => {
		const amount = numberIn(value) ?? 0;
		return amount > 0
			? { value: amount }
			: problem(
					`'${label}' must be a number greater than 0`,
					`Enter how long to wait, for example 45, or remove 'Limit Wait Time' to wait without a limit.`,
					value,
				);
	},
};

const timeUnits: Choice[] = [
	{ name: 'Days', value: 'days' },
	{ name: 'Hours', value: 'hours' },
	{ name: 'Minutes', value: 'minutes' },
];

const resumeUnit: Field = {
	displayName: 'Unit',
	name: 'resumeUnit',
	...choiceOf(timeUnits),
	default: 'hours',
	description: 'Unit of the amount',
	displayOptions: afterInterval,
};

export const maxDateAndTime: Field = {
	displayName: 'Max Date and Time',
	name: 'maxDateAndTime',
	type: 'dateTime',
	default: '',
	description: 'Time at which the execution continues without an answer, in the time zone of the workflow',
	displayOptions: { show: { limitType: ['atSpecifiedTime'] } },
	// A number means milliseconds, as in JavaScript.
	kind: (value, ...given) =>
		kinds.dateAndTime("$now.plus(2, 'hours')")(typeof value === 'number' ? new Date(value) : value, ...given),
};

const values: Field[] = [limitType, resumeAmount, resumeUnit, maxDateAndTime];

export const limitWaitTime: Field = {
	displayName: 'Limit Wait Time',
	name: 'limitWaitTime',
	type: 'fixedCollection',
	typeOptions: { multipleValues: false },
	default: { values: { limitType: 'afterTimeInterval', resumeAmount: 45, resumeUnit: 'minutes' } },
	description: 'Whether the execution continues without an answer after some time',
	options: [{ displayName: 'Values', name: 'values', values }],
};

const millisecondsIn: Record<string, number> = { minutes: 60_000, hours: 3_600_000, days: 86_400_000 };

/** The limit that the user has set; undefined without one. */
export function waitLimitOf(values: FieldReader): Question['waitLimit'] {
	if (values.rawOf(limitWaitTime) === undefined) return undefined;
	if (values.read(limitType, 'needed') === 'atSpecifiedTime')
		return new Date(Number(values.read(maxDateAndTime, 'needed')));
	const unit = millisecondsIn[String(values.read(resumeUnit, 'needed'))] ?? NaN;
	return Number(values.read(resumeAmount, 'needed')) * unit;
}
