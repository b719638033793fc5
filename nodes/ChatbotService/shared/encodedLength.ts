/** Characters of a text in a query. n8n also percent-encodes some that `encodeURIComponent` does not. */
export const encodedLength = (text: string) => encodeURIComponent(text).replace(/[!'()*]/g, '%00').length;
