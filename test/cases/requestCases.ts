import type { Refused } from './refused';

export const requestCases: Refused[] = [];
