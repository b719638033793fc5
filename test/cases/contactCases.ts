import { VALUE, type Refused } from './refused';

/* Contacts, their tags and variables. */

export const contactCases: Refused[] = [
	['contact/get', { findBy: 'phone', findValue: VALUE }, ['Анна', '9161234567'], "'Phone' is not a valid"],
	['contact/get', (findValue) => ({ findBy: 'id', findValue }), ['Анна'], "'Contact ID' must be a whole"],
];
