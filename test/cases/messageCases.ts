import type { Refused } from './refused';

export const messageCases: Refused[] = [];
