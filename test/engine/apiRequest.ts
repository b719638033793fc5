import { usual } from './scene';

/* API, Send Request: a GET of the people whom a contact has invited, which the emulator knows. */

export const requests = usual('api/request', { parameters: {}, returnAll: false });

/** The parameters as rows in the editor. */
export const asRows = (...rows: Array<readonly [name: string, value: string]>) => ({
	parameters: { parameter: rows.map(([name, value]) => ({ name, value })) },
});

/** The parameters as an object, or its text. */
export const asJson = (object: string) => ({ parametersInput: 'json', parametersJson: object });

export const post = (endpoint: string, object: string) => ({ method: 'POST', endpoint, ...asJson(object) });
