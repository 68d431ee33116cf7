/** What was cut or copied last, anywhere in this program: terminals do not let it be read back, and may not take it. */
export const clipboard = { text: '' }
