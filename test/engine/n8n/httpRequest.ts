/** Names and values as n8n's HTTP Request node stores them. */
export const pairs = (values: Record<string, string>) => ({
	parameters: Object.entries(values).map(([name, value]) => ({ name, value })),
});
