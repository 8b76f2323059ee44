/** An error that the program can catch, with the message that it reads. */
export class Fault extends Error {}
