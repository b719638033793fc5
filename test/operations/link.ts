/* The link at the end of a question to a person, on a separate line. */

const ending = /\n\n(http\S+)$/;

export const hasLink = (text: unknown): boolean => ending.test(String(text));

/** @throws if the text has no link */
export const linkIn = (text: unknown): string => ending.exec(String(text))![1]!;

/** Stands for the link in the request of a sample. */
export const sampleLink = 'https://n8n.example.com/webhook-waiting/7/node?question=1&signature=2';
