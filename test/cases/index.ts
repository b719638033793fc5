import { contactCases } from './contactCases';
import { listCases } from './listCases';
import { messageCases } from './messageCases';
import type { Refused } from './refused';
import { requestCases } from './requestCases';

/* Values that the node refuses before anything leaves: tables, which engine/refused runs in each mode. */

export const refusedCases: Refused[] = [...contactCases, ...listCases, ...messageCases, ...requestCases];
