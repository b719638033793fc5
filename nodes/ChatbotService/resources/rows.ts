import type { IDataObject } from 'n8n-workflow';

import { asSeen, isObject } from '../client/values';

/* What several resources read in the rows of the service. */

/** The name of a variable. Some services return it only within the variable's own `variable`. */
export const nameOfVariable = ({ name, variable }: IDataObject): IDataObject[string] =>
	name ?? (isObject(variable) ? (variable.name as string | undefined) : undefined);

/** How people compare texts: without case, outer blanks and invisible characters. */
export const spelling = (text: unknown) =>
	asSeen(String(text ?? ''))
		.trim()
		.toLowerCase();
