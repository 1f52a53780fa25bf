// The program: one executable for the shell, the notebook and scripts.
int main(void)
{
    return 0;
}
