/** An answer that ends a request without its effect: thrown anywhere, and converted to the HTTP answer by exchange.ts. */
export class Refusal extends Error {
	/** @param body an object is sent as JSON, a string as an HTML page */
	constructor(
		readonly status: number,
		readonly body: object | string,
		readonly headers: Record<string, string> = {},
	) {
		super(`refused with ${status}`);
	}
}

export function notFound(message: string): Refusal {
	return new Refusal(404, { message });
}
