import type { Refused } from './index';

export const messageCases: Refused[] = [];
