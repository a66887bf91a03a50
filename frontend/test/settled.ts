/** When all is drawn: elements in the microtasks after a change, each further part of a report after a frame. */
export async function settled(): Promise<void> {
  for (let i = 0; i < 4; i++) await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
}
