import type { Refused } from './index';

export const requestCases: Refused[] = [];
