import type { IDataObject } from 'n8n-workflow';

import { isObject } from '../client/values';

/** The name of a variable. Some services return it only within the variable's own `variable`. */
export const nameOfVariable = ({ name, variable }: IDataObject): IDataObject[string] =>
	name ?? (isObject(variable) ? (variable.name as string | undefined) : undefined);
