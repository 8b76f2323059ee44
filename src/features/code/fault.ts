/** What the program reads in an error that it can catch. */
export class Fault extends Error {}
