/**
 * n8n's editor in a real browser, for tests and screenshots: what a person sees and does there, in n8n's own terms.
 * Start it with `openEditor()`.
 */

export { type Area, type Complaint, type Editor, type Framing, openEditor } from './editor';
export type { NodeDetails } from './nodeDetails';
export type { NodePanel } from './nodePanel';
