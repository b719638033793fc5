import type { Refused } from './index';

export const listCases: Refused[] = [];
