/**
 * n8n's editor in a real browser, for tests and pictures: what a person sees there and does there, in n8n's own terms.
 * Start it with `openEditor()`.
 */

export {
	type Complaint,
	type Editor,
	type EditorOptions,
	type Framing,
	type Note,
	openEditor,
} from './editor';
export type { CredentialDialog } from './credentialDialog';
export type { InstallDialog } from './installDialog';
export type { Field, NodeDetails } from './nodeDetails';
export type { NodePanel } from './nodePanel';
export type { Output } from './output';
export type { ListProblem, ResourceList } from './resourceList';
export { sources, type Step, workflowOver } from './workflow';
