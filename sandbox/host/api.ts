import { randomUUID } from 'node:crypto';

import { type PollOptions, until } from '../processes/poll';

/**
 * Headers for a connection of its own. n8n closes a connection that is idle for five seconds, and a test that has been busy for
 * as long can send its next request on that connection, which fails.
 */
export const ownConnection = { connection: 'close' };

export type Owner = Record<'email' | 'password' | 'firstName' | 'lastName', string>;

export interface CredentialData {
	name: string;
	type: string;
	data: Record<string, unknown>;
}

export interface WorkflowNode {
	id?: string;
	name: string;
	type: string;
	parameters: Record<string, unknown>;
	credentials?: Record<string, { id: string | null; name: string }>;
	[key: string]: unknown;
}

/** A workflow in the format of n8n's own exports. */
export interface WorkflowData {
	name: string;
	nodes: WorkflowNode[];
	connections: Record<string, unknown>;
	settings?: Record<string, unknown>;
	[key: string]: unknown;
}

export type StoredWorkflow = WorkflowData & { id: string };

/** A credential that n8n has stored, without its data. */
export type StoredCredential = Omit<CredentialData, 'data'> & { id: string };

interface OutputItem {
	json: Record<string, unknown>;
	[key: string]: unknown;
}

interface NodeRun {
	startTime: number;
	data?: { main?: Array<OutputItem[] | null> };
}

interface ResultData {
	runData?: Record<string, NodeRun[]>;
	error?: { message?: string; description?: string };
}

interface Settings {
	userManagement: { showSetupOnFirstLoad: boolean };
}

export class Execution {
	constructor(
		readonly id: string,
		readonly status: string,
		readonly error: ResultData['error'],
		private readonly runData: Record<string, NodeRun[]>,
	) {}

	get nodes(): string[] {
		return Object.keys(this.runData);
	}

	/** The output items of a node over all its runs; for a node with an error output, output 1 is that output. */
	output(node: string, output = 0): OutputItem[] {
		return this.runs(node).flatMap((run) => run.data?.main?.[output] ?? []);
	}

	/** The runs of a node: one for each time items reached it. */
	runs(node: string): NodeRun[] {
		return this.runData[node] ?? [];
	}
}

const json = 'application/json';
const UNFINISHED = ['new', 'running', 'waiting', 'unknown'];

/** A client of n8n's public REST API, and of the editor's own for what the public one does not offer. */
export class HostApi {
	/** @param login headers of an existing login */
	constructor(
		private readonly url: string,
		readonly login: Record<string, string> = {},
	) {}

	/** Creates the owner of a new n8n, logs in, and creates a key for the public API. */
	async signIn(owner: Owner): Promise<void> {
		const { email: emailOrLdapLoginId, password } = owner;
		const { userManagement } = await this.editor<Settings>('GET /settings');
		if (userManagement.showSetupOnFirstLoad) await this.editor('POST /owner/setup', owner);
		else await this.editor('POST /login', { emailOrLdapLoginId, password });
		const key = { label: randomUUID(), scopes: await this.editor('GET /api-keys/scopes'), expiresAt: null };
		const { rawApiKey } = await this.editor<Record<'rawApiKey', string>>('POST /api-keys', key);
		this.login['x-n8n-api-key'] = rawApiKey;
	}

	credentials = () => this.list<StoredCredential>('GET /credentials');
	createCredential = (credential: CredentialData) =>
		this.public<StoredCredential>('POST /credentials', credential);
	updateCredential = (id: string, credential: CredentialData) =>
		this.public<StoredCredential>(`PATCH /credentials/${id}`, credential);

	workflows = () => this.list<StoredWorkflow>('GET /workflows');
	workflow = (id: string) => this.public<StoredWorkflow>(`GET /workflows/${id}`);
	createWorkflow = (workflow: WorkflowData) =>
		this.public<StoredWorkflow>('POST /workflows', writable(workflow));

	/** Runs a stored workflow from its manual trigger, like the button in the editor, and waits for its end. */
	async runWorkflow(id: string, options?: PollOptions): Promise<Execution> {
		return await this.waitForExecution(await this.startWorkflow(id), options);
	}

	/** Starts it in the same way. @returns the ID of the execution */
	async startWorkflow(id: string): Promise<string> {
		const { nodes } = await this.workflow(id);
		const trigger = nodes.find(({ type }) => type === 'n8n-nodes-base.manualTrigger');
		if (!trigger) throw new Error('The workflow has no manual trigger');
		const start = { triggerToStartFrom: { name: trigger.name } };
		return (await this.editor<Record<'executionId', string>>(`POST /workflows/${id}/run`, start)).executionId;
	}

	async statusOf(executionId: string): Promise<string> {
		return (await this.public<Record<'status', string>>(`GET /executions/${executionId}`)).status;
	}

	/** @returns the execution with its data */
	async waitForExecution(id: string, options?: PollOptions): Promise<Execution> {
		const usual = { failure: `Execution ${id} did not end`, timeoutMs: 120_000, everyMs: 200 };
		await until(async () => !UNFINISHED.includes(await this.statusOf(id)), { ...usual, ...options });
		type Ended = { status: string; data: { resultData: ResultData } };
		const { status, data } = await this.public<Ended>(`GET /executions/${id}?includeData=true`);
		const { error, runData = {} } = data.resultData;
		return new Execution(id, status, error, runData);
	}

	private async list<T>(request: string): Promise<T[]> {
		return (await this.public<{ data: T[] }>(`${request}?limit=250`)).data;
	}

	protected public<T>(request: string, body?: unknown): Promise<T> {
		return this.ask<T>(request.replace(' ', ' /api/v1'), body);
	}

	/** The private API of n8n's editor. */
	protected async editor<T>(request: string, body?: unknown): Promise<T> {
		return (await this.ask<{ data: T }>(request.replace(' ', ' /rest'), body)).data;
	}

	/** @param request method and path */
	protected async ask<T>(request: string, body?: unknown): Promise<T> {
		const [method, path] = request.split(' ');
		const response = await fetch(`${this.url}${path}`, {
			method,
			headers: { ...ownConnection, ...this.login, accept: json, 'content-type': json },
			body: JSON.stringify(body),
		});
		const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
		if (cookies.length > 0) this.login.cookie = cookies.join('; ');
		if (!response.ok)
			throw new Error(`n8n answered ${request} with ${response.status}: ${await response.text()}`);
		return (await response.json()) as T;
	}
}

/** The public API refuses a workflow with the properties that only n8n sets. */
export const writable = ({ name, nodes, connections, settings = {}, pinData = {} }: WorkflowData) => {
	return { name, nodes, connections, settings, pinData };
};
