import type { Refused } from './refused';

export const listCases: Refused[] = [];
